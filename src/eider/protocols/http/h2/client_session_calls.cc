// ClientSession: handles the server's frames, before and after nghttp2.
#include <cstring>
#include <utility>

#include "eider/protocols/http/h2/client_session_state.h"

namespace eider::h2 {

namespace {

using detail::kBombFactor;
using detail::kFrameHeadBytes;

bool has(std::uint8_t flags, nghttp2_flag flag) noexcept {
  return (flags & flag) != 0;
}

/// The fate of a stream that was reset before its response.
StreamFate fate_of(ErrorCode code, bool is_early) noexcept {
  if (code != ErrorCode::refused_stream) {
    return StreamFate::reset;
  }
  return is_early ? StreamFate::unseen : StreamFate::refused;
}

}  // namespace

// Before nghttp2: floods, including frames that it would ignore.

void ClientSession::State::receive(std::string_view bytes) {
  // Count all frames before nghttp2 sees any: it would first respond to a flood, or ignore it.
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
    case NGHTTP2_PUSH_PROMISE:  // disabled by our first SETTINGS
      return terminate(ErrorCode::protocol_error,
                       "The server sent a push promise, although push is disabled.");
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
    return terminate(ErrorCode::enhance_your_calm, "The headers of a response do not end.");
  }
  note(head.length == 0 ? Cheap::empty : Cheap::continuation);
}

// After nghttp2: heads.

void ClientSession::State::begin_head(const nghttp2_frame& frame) noexcept {
  const ReplyUser* const user = user_of(frame.hd.stream_id);
  // Heads of streams without a user must still be decoded to keep HPACK's table consistent.
  is_building = user != nullptr;
  const bool is_trailers = is_building && user->has_head_;
  builder.begin(is_trailers ? ReplyBuilder::Kind::trailers : ReplyBuilder::Kind::head);
}

int ClientSession::State::take_field(std::string_view name, std::string_view value) {
  // Count the field before any check: a list without end is cut off below.
  builder.add(name, value, options.reply);
  if (builder.listed_bytes() > kBombFactor * options.reply.head_bytes_max) {
    terminate(ErrorCode::enhance_your_calm, "The headers of a response do not end.");
    return NGHTTP2_ERR_PAUSE;
  }
  return 0;
}

void ClientSession::State::end_head(StreamId id, Ends ends) {
  ReplyUser* const user = user_of(id);
  // The stream was reset while its head was arriving.
  if (user == nullptr || !is_building) {
    return;
  }
  ReplyHead head;
  if (const auto refusal = builder.finish(ends, head)) {
    return refuse(id, *user, *refusal);
  }
  if (builder.kind() == ReplyBuilder::Kind::trailers) {
    return end_response(id, builder.trailer_lines());
  }
  if (head.is_interim()) {
    return user->on_interim(head);
  }
  // Set before the call, in which the user may reset the stream.
  user->has_head_ = true;
  user->on_head(head);
  if (ends == Ends::with_head) {
    end_response(id, {});
  }
}

void ClientSession::State::refuse(StreamId id, ReplyUser& user, const ReplyRefusal& why) {
  const ErrorCode code = why.is_size ? ErrorCode::cancel : ErrorCode::protocol_error;
  // The user is removed first, so that the close of the stream does not call it again.
  let_go(id);
  nghttp2_submit_rst_stream(session, NGHTTP2_FLAG_NONE, id, static_cast<std::uint32_t>(code));
  user.on_closed({why.is_size ? StreamFate::too_large : StreamFate::malformed, code, why.text});
}

/// Ends the response. The user may have reset the stream meanwhile.
void ClientSession::State::end_response(StreamId id, std::string_view trailer_lines) {
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
      return is_last ? end_response(id, {}) : void();
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
  // Unread content of one response must not block the others: the window of each stream limits how
  // much is kept.
  nghttp2_session_consume_connection(session, bytes.size());
  if (ReplyUser* const user = user_of(id)) {
    user->on_data(bytes);
  } else {
    nghttp2_session_consume_stream(session, id, bytes.size());
  }
}

// How streams end.

/// The server has reset the stream. If it has sent part of a response, it has processed the
/// request, even if it reports otherwise.
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
  // A complete response stays complete, whatever code the server closes the stream with.
  if (user->end_ && end.fate != StreamFate::whole) {
    end = *user->end_;
  }
  // The user is removed first, because it may be destroyed or start another request within the
  // call.
  let_go(id);
  user->on_closed(end);
}

void ClientSession::State::note_sent(const nghttp2_frame& frame) noexcept {
  switch (frame.hd.type) {
    case NGHTTP2_HEADERS:  // allow the frames that servers may send for each request
      guard.earn(Cheap::reset, 1);
      guard.earn(Cheap::empty, 1);
      guard.earn(Cheap::unknown, 1);
      guard.earn(Cheap::window_update, 2);
      return guard.earn(Cheap::continuation, continuations_max);
    case NGHTTP2_DATA:
      guard.earn(Cheap::ping, 1);  // servers use it to measure latency
      return guard.earn(Cheap::window_update, 2);
    case NGHTTP2_RST_STREAM:  // sent by nghttp2 itself: the data on the stream was invalid
      if (ReplyUser* const user = user_of(frame.hd.stream_id); user != nullptr && !user->end_) {
        user->end_ = StreamEnd{StreamFate::malformed, ErrorCode::protocol_error,
                               "The server's response is not valid HTTP/2."};
      }
      return;
    case NGHTTP2_GOAWAY:  // the same for the connection
      if (frame.goaway.error_code != NGHTTP2_NO_ERROR && !is_doomed) {
        is_doomed = true;
        flaw = kNoHttp2;
      }
      return;
    default:
      return;
  }
}

/// The request was never sent, because the server had shut down before.
void ClientSession::State::note_not_sent(const nghttp2_frame& frame) noexcept {
  if (frame.hd.type == NGHTTP2_HEADERS) {
    if (ReplyUser* const user = user_of(frame.hd.stream_id)) {
      user->end_ = StreamEnd{StreamFate::unseen, ErrorCode::refused_stream, {}};
    }
  }
}

// The content of requests.

ssize_t ClientSession::State::read_content(StreamId id, std::size_t bytes_max, std::uint32_t& flags,
                                           const nghttp2_data_source& /*source*/) noexcept {
  ReplyUser* const from = user_of(id);
  if (from == nullptr) {  // it was reset, and the reset was not sent yet
    return NGHTTP2_ERR_DEFERRED;
  }
  const Ready ready = from->ready(bytes_max);
  if (ready.bytes == 0 && !ready.is_last) {
    return NGHTTP2_ERR_DEFERRED;
  }
  // `send_content` copies the content directly into the output.
  flags |= NGHTTP2_DATA_FLAG_NO_COPY;
  flags |= ready.is_last ? unsigned{NGHTTP2_DATA_FLAG_EOF} : 0U;
  const std::string_view trailers = ready.is_last ? from->trailer_lines() : std::string_view();
  if (!trailers.empty()) {
    flags |= NGHTTP2_DATA_FLAG_NO_END_STREAM;
    // The trailers end the stream, so the content must not end it.
    submit_trailers(id, trailers);
  }
  return static_cast<ssize_t>(ready.bytes);
}

void ClientSession::State::submit_trailers(StreamId id, std::string_view lines) {
  std::vector<OutField> fields;
  append_lines(fields, lines);
  const std::span<const nghttp2_nv> all = to_pairs(fields);
  nghttp2_submit_trailer(session, id, all.data(), all.size());
}

int ClientSession::State::send_content(StreamId id, const std::uint8_t* frame_head,
                                       std::size_t bytes, const nghttp2_data_source& /*source*/) {
  ReplyUser* const from = user_of(id);
  if (from == nullptr) {  // it was reset while the frame waited for room
    return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
  }
  // The limit is checked before a frame, so that no frame is cut.
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

}  // namespace eider::h2
