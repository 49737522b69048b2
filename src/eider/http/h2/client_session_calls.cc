// ClientSession: what the server's frames come to, before and behind nghttp2.
#include <cstring>
#include <new>
#include <utility>

#include "eider/http/h2/detail/client_session_state.h"

namespace eider::h2 {

namespace {

constexpr std::size_t kFrameHeadBytes = 9;
/// A list of fields that goes on beyond this many times its limit is not even decoded any more.
constexpr std::uint64_t kBombFactor = 4;

std::string_view text_of(const std::uint8_t* bytes, std::size_t count) noexcept {
  return {reinterpret_cast<const char*>(bytes), count};
}

bool has(std::uint8_t flags, nghttp2_flag flag) noexcept {
  return (flags & flag) != 0;
}

/// Of a stream that was reset ahead of its answer.
StreamFate fate_of(ErrorCode code, bool is_early) noexcept {
  if (code != ErrorCode::refused_stream) {
    return StreamFate::reset;
  }
  return is_early ? StreamFate::unseen : StreamFate::refused;
}

}  // namespace

// Ahead of nghttp2: floods, also of what it would ignore.

void ClientSession::State::receive(std::string_view bytes) {
  for (std::string_view rest = bytes; !rest.empty() && !is_doomed;) {
    const FrameScanner::Step step = frames.next(rest);
    rest.remove_prefix(step.bytes);
    if (step.head) {
      check_frame(*step.head);
    }
  }
  if (is_doomed) {
    return;
  }
  const auto taken = nghttp2_session_mem_recv(
      session, reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
  if (taken < 0) {
    fail(static_cast<int>(taken));
  }
}

void ClientSession::State::check_frame(const FrameHead& head) noexcept {
  switch (head.type) {
    case NGHTTP2_DATA:
      return head.length == 0 && !has(head.flags, NGHTTP2_FLAG_END_STREAM) ? note(Cheap::empty)
                                                                           : void();
    case NGHTTP2_HEADERS:
      continuations = 0;
      return;
    case NGHTTP2_CONTINUATION:
      return check_continuation(head);
    case NGHTTP2_PUSH_PROMISE:  // our first SETTINGS, ahead of all requests, have declined it
      return terminate(ErrorCode::protocol_error, "The server pushes, which was declined.");
    case NGHTTP2_RST_STREAM:
      return note(Cheap::reset);
    case NGHTTP2_SETTINGS:
      return has(head.flags, NGHTTP2_FLAG_ACK) ? void() : note(Cheap::settings);
    case NGHTTP2_PING:
      return has(head.flags, NGHTTP2_FLAG_ACK) ? void() : note(Cheap::ping);
    case NGHTTP2_PRIORITY:
      return note(Cheap::priority);
    case NGHTTP2_WINDOW_UPDATE:
      return note(Cheap::window_update);
    default:
      return note(Cheap::unknown);
  }
}

void ClientSession::State::check_continuation(const FrameHead& head) noexcept {
  if (++continuations > continuations_max) {
    return terminate(ErrorCode::enhance_your_calm, "The head of an answer has no end.");
  }
  note(head.length == 0 ? Cheap::empty : Cheap::continuation);
}

// Behind it: heads.

void ClientSession::State::begin_head(StreamId id) noexcept {
  const ReplyUser* const user = user_of(id);
  is_building = user != nullptr;
  const bool is_trailers = is_building && user->has_head_;
  builder.begin(is_trailers ? ReplyBuilder::Kind::trailers : ReplyBuilder::Kind::head);
}

int ClientSession::State::take_field(std::string_view name, std::string_view value) {
  builder.add(name, value, options.reply);
  if (builder.listed_bytes() > kBombFactor * options.reply.head_bytes_max) {
    terminate(ErrorCode::enhance_your_calm, "The head of an answer has no end.");
    return NGHTTP2_ERR_PAUSE;
  }
  return 0;
}

void ClientSession::State::end_head(StreamId id, Ends ends) {
  ReplyUser* const user = user_of(id);
  if (user == nullptr || !is_building) {
    return;
  }
  ReplyHead head;
  if (const auto refusal = builder.finish(ends, head)) {
    return refuse(id, *user, *refusal);
  }
  if (builder.kind() == ReplyBuilder::Kind::trailers) {
    return end_answer(id, builder.trailer_lines());
  }
  if (head.is_interim()) {
    return user->on_interim(head.status);
  }
  user->has_head_ = true;
  user->on_head(head);
  if (ends == Ends::with_head) {
    end_answer(id, {});
  }
}

void ClientSession::State::refuse(StreamId id, ReplyUser& user, const ReplyRefusal& why) {
  const ErrorCode code = why.is_size ? ErrorCode::cancel : ErrorCode::protocol_error;
  let_go(id);
  nghttp2_submit_rst_stream(session, NGHTTP2_FLAG_NONE, id, static_cast<std::uint32_t>(code));
  user.on_closed({why.is_size ? StreamFate::too_large : StreamFate::malformed, code, why.text});
}

/// The user may have reset the stream meanwhile.
void ClientSession::State::end_answer(StreamId id, std::string_view trailer_lines) {
  if (ReplyUser* const user = user_of(id)) {
    user->has_ended_ = true;
    user->on_end(trailer_lines);
  }
}

// Other frames.

void ClientSession::State::take_frame(const nghttp2_frame& frame) {
  const StreamId id = frame.hd.stream_id;
  const bool is_last = has(frame.hd.flags, NGHTTP2_FLAG_END_STREAM);
  switch (frame.hd.type) {
    case NGHTTP2_HEADERS:
      return end_head(id, is_last ? Ends::with_head : Ends::with_content);
    case NGHTTP2_DATA:
      return is_last ? end_answer(id, {}) : void();
    case NGHTTP2_RST_STREAM:
      return note_reset(id, static_cast<ErrorCode>(frame.rst_stream.error_code));
    case NGHTTP2_SETTINGS:
      has_settings |= !has(frame.hd.flags, NGHTTP2_FLAG_ACK);
      return;
    case NGHTTP2_PING:
      pongs += has(frame.hd.flags, NGHTTP2_FLAG_ACK) ? 1 : 0;
      return;
    case NGHTTP2_GOAWAY:
      going_away = static_cast<ErrorCode>(frame.goaway.error_code);
      return;
    default:
      return;
  }
}

void ClientSession::State::take_data(StreamId id, std::string_view bytes) {
  // What is not taken of one answer must not hinder the others: the window of each bounds what is
  // kept.
  nghttp2_session_consume_connection(session, bytes.size());
  if (ReplyUser* const user = user_of(id)) {
    user->on_data(bytes);
  } else {
    nghttp2_session_consume_stream(session, id, bytes.size());
  }
}

// How streams end.

/// By the server. A stream that it has answered in part it has looked at, whatever it says.
void ClientSession::State::note_reset(StreamId id, ErrorCode code) noexcept {
  if (ReplyUser* const user = user_of(id)) {
    const StreamFate fate = user->has_head_ ? StreamFate::reset : fate_of(code, user->is_early_);
    user->end_ = StreamEnd{fate, code, {}};
  }
}

void ClientSession::State::note_closed(StreamId id, ErrorCode code) {
  ReplyUser* const user = user_of(id);
  if (user == nullptr) {
    return;
  }
  StreamEnd end{user->has_ended_ ? StreamFate::whole : StreamFate::unseen, code, {}};
  if (user->end_ && end.fate != StreamFate::whole) {
    end = *user->end_;
  }
  let_go(id);
  user->on_closed(end);
}

void ClientSession::State::note_sent(const nghttp2_frame& frame) noexcept {
  switch (frame.hd.type) {
    case NGHTTP2_HEADERS:  // what servers may well do for each request
      guard.earn(Cheap::reset, 1);
      guard.earn(Cheap::empty, 1);
      guard.earn(Cheap::unknown, 1);
      guard.earn(Cheap::window_update, 2);
      return guard.earn(Cheap::continuation, continuations_max);
    case NGHTTP2_DATA:
      guard.earn(Cheap::ping, 1);  // by which they measure the way
      return guard.earn(Cheap::window_update, 2);
    case NGHTTP2_RST_STREAM:  // nghttp2's own: what came on the stream was wrong
      if (ReplyUser* const user = user_of(frame.hd.stream_id); user != nullptr && !user->end_) {
        user->end_ = StreamEnd{StreamFate::malformed, ErrorCode::protocol_error,
                               "What the server answers is no valid HTTP/2."};
      }
      return;
    case NGHTTP2_GOAWAY:  // likewise, of the connection
      if (frame.goaway.error_code != NGHTTP2_NO_ERROR && !is_doomed) {
        is_doomed = true;
        flaw = kNoHttp2;
      }
      return;
    default:
      return;
  }
}

/// A request that was never sent, since the server went away before.
void ClientSession::State::note_not_sent(const nghttp2_frame& frame) noexcept {
  if (frame.hd.type == NGHTTP2_HEADERS) {
    if (ReplyUser* const user = user_of(frame.hd.stream_id)) {
      user->end_ = StreamEnd{StreamFate::unseen, ErrorCode::refused_stream, {}};
    }
  }
}

// The content of requests.

ssize_t ClientSession::State::read_content(StreamId id, std::size_t bytes_max,
                                           std::uint32_t& flags) noexcept {
  ReplyUser* const from = user_of(id);
  if (from == nullptr) {  // it was reset, and that has not left yet
    return NGHTTP2_ERR_DEFERRED;
  }
  const Ready ready = from->ready(bytes_max);
  if (ready.bytes == 0 && !ready.is_last) {
    return NGHTTP2_ERR_DEFERRED;
  }
  flags |= NGHTTP2_DATA_FLAG_NO_COPY;
  flags |= ready.is_last ? unsigned{NGHTTP2_DATA_FLAG_EOF} : 0U;
  return static_cast<ssize_t>(ready.bytes);
}

int ClientSession::State::send_content(StreamId id, const std::uint8_t* frame_head,
                                       std::size_t bytes) {
  ReplyUser* const from = user_of(id);
  if (from == nullptr) {  // it was reset while the frame waited for room
    return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
  }
  if (out->size() >= out_bytes_max) {
    is_full = true;
    return NGHTTP2_ERR_WOULDBLOCK;
  }
  char* const at = out->reserve(kFrameHeadBytes + bytes);
  std::memcpy(at, frame_head, kFrameHeadBytes);
  from->put(at + kFrameHeadBytes, bytes);
  out->commit(kFrameHeadBytes + bytes);
  return 0;
}

namespace {

/// No exception may pass through nghttp2, which is C; only memory can be lacking here.
template <class F>
int guarded(F call) noexcept {
  try {
    return call();
  } catch (...) {
    return NGHTTP2_ERR_CALLBACK_FAILURE;
  }
}

}  // namespace

const nghttp2_session_callbacks* ClientSession::State::calls() {
  static const nghttp2_session_callbacks* const made = [] {
    nghttp2_session_callbacks* calls = nullptr;
    if (nghttp2_session_callbacks_new(&calls) != 0) {
      throw std::bad_alloc();
    }
    set_head_calls(calls);
    set_frame_calls(calls);
    set_stream_calls(calls);
    return calls;
  }();
  return made;
}

void ClientSession::State::set_head_calls(nghttp2_session_callbacks* calls) noexcept {
  nghttp2_session_callbacks_set_on_begin_headers_callback(
      calls, [](nghttp2_session*, const nghttp2_frame* frame, void* state) -> int {
        return static_cast<State*>(state)->begin_head(frame->hd.stream_id), 0;
      });
  nghttp2_session_callbacks_set_on_header_callback(
      calls,
      [](nghttp2_session*, const nghttp2_frame*, const std::uint8_t* name, std::size_t name_bytes,
         const std::uint8_t* value, std::size_t value_bytes, std::uint8_t, void* state) -> int {
        return guarded([=] {
          return static_cast<State*>(state)->take_field(text_of(name, name_bytes),
                                                        text_of(value, value_bytes));
        });
      });
  // A field that is wrong makes the whole answer wrong: none is dropped silently.
  nghttp2_session_callbacks_set_on_invalid_header_callback(
      calls,
      [](nghttp2_session*, const nghttp2_frame*, const std::uint8_t*, std::size_t,
         const std::uint8_t*, std::size_t, std::uint8_t,
         void*) -> int { return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE; });
}

void ClientSession::State::set_frame_calls(nghttp2_session_callbacks* calls) noexcept {
  nghttp2_session_callbacks_set_on_frame_recv_callback(
      calls, [](nghttp2_session*, const nghttp2_frame* frame, void* state) -> int {
        return guarded([=] { return static_cast<State*>(state)->take_frame(*frame), 0; });
      });
  nghttp2_session_callbacks_set_on_frame_send_callback(
      calls, [](nghttp2_session*, const nghttp2_frame* frame, void* state) -> int {
        return static_cast<State*>(state)->note_sent(*frame), 0;
      });
  nghttp2_session_callbacks_set_on_frame_not_send_callback(
      calls, [](nghttp2_session*, const nghttp2_frame* frame, int, void* state) -> int {
        return static_cast<State*>(state)->note_not_sent(*frame), 0;
      });
}

void ClientSession::State::set_stream_calls(nghttp2_session_callbacks* calls) noexcept {
  nghttp2_session_callbacks_set_on_data_chunk_recv_callback(
      calls,
      [](nghttp2_session*, std::uint8_t, StreamId id, const std::uint8_t* data, std::size_t bytes,
         void* state) -> int {
        return guarded(
            [=] { return static_cast<State*>(state)->take_data(id, text_of(data, bytes)), 0; });
      });
  nghttp2_session_callbacks_set_on_stream_close_callback(
      calls, [](nghttp2_session*, StreamId id, std::uint32_t code, void* state) -> int {
        return guarded([=] {
          return static_cast<State*>(state)->note_closed(id, static_cast<ErrorCode>(code)), 0;
        });
      });
  nghttp2_session_callbacks_set_send_data_callback(
      calls,
      [](nghttp2_session*, nghttp2_frame* frame, const std::uint8_t* head, std::size_t bytes,
         nghttp2_data_source*, void* state) -> int {
        return guarded([=] {
          return static_cast<State*>(state)->send_content(frame->hd.stream_id, head, bytes);
        });
      });
}

nghttp2_data_source_read_callback ClientSession::State::content_call() noexcept {
  return [](nghttp2_session*, StreamId id, std::uint8_t*, std::size_t bytes_max,
            std::uint32_t* flags, nghttp2_data_source*, void* state) -> ssize_t {
    return static_cast<State*>(state)->read_content(id, bytes_max, *flags);
  };
}

}  // namespace eider::h2
