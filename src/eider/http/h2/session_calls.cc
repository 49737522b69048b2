// Session: what nghttp2 tells and asks.
#include <algorithm>
#include <cstring>
#include <new>
#include <vector>

#include "eider/http/h2/detail/session_state.h"

namespace eider::h2 {

namespace {

constexpr std::size_t kFrameHeadBytes = 9;
/// A list of fields that goes on beyond this many times its limit is not even decoded any more.
constexpr std::uint64_t kBombFactor = 4;
/// What a DATA frame of ours earns its receiver: an update for the stream and one for all.
constexpr std::uint32_t kUpdatesPerFrame = 2;

std::string_view text_of(const std::uint8_t* bytes, std::size_t count) noexcept {
  return {reinterpret_cast<const char*>(bytes), count};
}

bool has(const nghttp2_frame_hd& head, nghttp2_flag flag) noexcept {
  return (head.flags & flag) != 0;
}

bool is_request(const nghttp2_frame& frame) noexcept {
  return frame.hd.type == NGHTTP2_HEADERS && frame.headers.cat == NGHTTP2_HCAT_REQUEST;
}

}  // namespace

void Session::State::begin_head(const nghttp2_frame& frame) {
  trailer_bytes = 0;
  builder = nullptr;
  if (!is_request(frame)) {
    return;
  }
  const StreamId id = frame.hd.stream_id;
  StreamUser& stream = user.on_stream(id);
  builder = &stream.head();
  builder->begin();
  recent.note_opened(id);
  if (has(frame.hd, NGHTTP2_FLAG_END_STREAM)) {
    recent.note_ended(id);
  }
  nghttp2_session_set_stream_user_data(session, id, &stream);
  note_latest(id, stream);
}

int Session::State::take_field(std::string_view name, std::string_view value) {
  std::uint64_t listed_bytes = 0;
  if (builder != nullptr) {
    builder->add(name, value, head_limits);
    listed_bytes = builder->listed_bytes();
  } else {
    listed_bytes = trailer_bytes += name.size() + value.size();  // checked, and of no use
  }
  if (listed_bytes > kBombFactor * head_limits.head_bytes_max) {
    terminate(ErrorCode::enhance_your_calm);
    return NGHTTP2_ERR_PAUSE;
  }
  return 0;
}

void Session::State::take_frame(const nghttp2_frame& frame) {
  switch (frame.hd.type) {
    case NGHTTP2_HEADERS:
      end_head(frame);
      return;
    case NGHTTP2_DATA:
      if (has(frame.hd, NGHTTP2_FLAG_END_STREAM)) {
        if (StreamUser* const stream = user_of(frame.hd.stream_id)) {
          stream->on_content_end();
        }
      } else if (frame.hd.length != 0 && frame.hd.length == frame.data.padlen) {
        note(Cheap::empty);
      }
      return;
    case NGHTTP2_RST_STREAM:
      recent.note_ended(frame.hd.stream_id);  // not earlier: its head may have come with it
      return;
    case NGHTTP2_PING:
      if (has(frame.hd, NGHTTP2_FLAG_ACK)) {
        user.on_pong();
      }
      return;
    default:
      return;
  }
}

void Session::State::end_head(const nghttp2_frame& frame) {
  StreamUser* const stream = user_of(frame.hd.stream_id);
  const bool is_end = has(frame.hd, NGHTTP2_FLAG_END_STREAM);
  if (stream == nullptr) {
    return;
  }
  if (is_request(frame)) {
    is_prioritised |= builder != nullptr && builder->has_priority();
    stream->on_head(is_end ? Ends::with_head : Ends::with_content);
  } else if (is_end) {
    stream->on_content_end();  // behind the trailers
  }
}

void Session::State::take_data(StreamId id, std::string_view bytes) {
  // What one stream's handler does not take must not hinder the others: the window of each bounds
  // what is kept.
  nghttp2_session_consume_connection(session, bytes.size());
  if (StreamUser* const stream = user_of(id)) {
    stream->on_data(bytes);
  } else {
    nghttp2_session_consume_stream(session, id, bytes.size());
  }
}

void Session::State::note_closed(StreamId id, ErrorCode why) noexcept {
  if (StreamUser* const stream = user_of(id)) {
    stream->on_closed(why);
  }
  latest_id = 0;
}

void Session::State::note_sent(const nghttp2_frame& frame) noexcept {
  if (frame.hd.type == NGHTTP2_RST_STREAM) {
    note_reset_sent(frame.rst_stream.error_code);
    return;
  }
  if (frame.hd.type == NGHTTP2_DATA) {
    guard.earn(Cheap::window_update, kUpdatesPerFrame);
  }
  const bool has_stream = frame.hd.type == NGHTTP2_DATA || frame.hd.type == NGHTTP2_HEADERS;
  if (has_stream && has(frame.hd, NGHTTP2_FLAG_END_STREAM)) {
    if (StreamUser* const stream = user_of(frame.hd.stream_id)) {
      stream->on_answered();
    }
  }
}

/// Which codes are the peer's fault: it has got a request out of us, and is to pay for that.
void Session::State::note_reset_sent(std::uint32_t code) noexcept {
  switch (code) {
    case NGHTTP2_PROTOCOL_ERROR:
    case NGHTTP2_FLOW_CONTROL_ERROR:
    case NGHTTP2_STREAM_CLOSED:
    case NGHTTP2_FRAME_SIZE_ERROR:
      note(Cheap::provoked_reset);
      return;
    case NGHTTP2_REFUSED_STREAM:  // also of clients who do not know our settings yet
      note(Cheap::reset);
      return;
    default:
      return;
  }
}

ssize_t Session::State::read_content(StreamId id, StreamUser& from, std::size_t bytes_max,
                                     std::uint32_t& flags) {
  const Ready ready = from.ready(bytes_max);
  if (ready.bytes == 0 && !ready.is_last) {
    return NGHTTP2_ERR_DEFERRED;
  }
  flags |= NGHTTP2_DATA_FLAG_NO_COPY;
  if (ready.is_last) {
    flags |= NGHTTP2_DATA_FLAG_EOF;
    const std::string_view trailers = from.trailer_lines();
    if (!trailers.empty()) {
      flags |= NGHTTP2_DATA_FLAG_NO_END_STREAM;
      submit_trailers(id, trailers);
    }
  }
  return static_cast<ssize_t>(ready.bytes);
}

void Session::State::submit_trailers(StreamId id, std::string_view lines) {
  std::vector<OutField> fields;
  append_lines(fields, lines);
  const std::span<const nghttp2_nv> all = to_pairs(fields);
  nghttp2_submit_trailer(session, id, all.data(), all.size());
}

int Session::State::send_content(StreamId id, const std::uint8_t* frame_head, std::size_t bytes,
                                 StreamUser& from) {
  if (out->size() >= out_bytes_max) {
    is_full = true;
    return NGHTTP2_ERR_WOULDBLOCK;
  }
  char* const at = out->reserve(kFrameHeadBytes + bytes);
  if (!from.put(at + kFrameHeadBytes, bytes)) {
    return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
  }
  note_latest(id, from);
  std::memcpy(at, frame_head, kFrameHeadBytes);
  out->commit(kFrameHeadBytes + bytes);
  return 0;
}

namespace {

/// No exception may pass through nghttp2, which is C; only memory can be lacking here.
template <class F>
auto guarded(F call) noexcept -> decltype(call()) {
  try {
    return call();
  } catch (...) {
    return NGHTTP2_ERR_CALLBACK_FAILURE;
  }
}

void set_head_calls(nghttp2_session_callbacks* calls, nghttp2_on_begin_headers_callback begin,
                    nghttp2_on_header_callback field) noexcept {
  nghttp2_session_callbacks_set_on_begin_headers_callback(calls, begin);
  nghttp2_session_callbacks_set_on_header_callback(calls, field);
  // A field that is wrong makes the whole request wrong: none is dropped silently.
  nghttp2_session_callbacks_set_on_invalid_header_callback(
      calls,
      [](nghttp2_session*, const nghttp2_frame*, const std::uint8_t*, std::size_t,
         const std::uint8_t*, std::size_t, std::uint8_t,
         void*) -> int { return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE; });
}

}  // namespace

const nghttp2_session_callbacks* Session::State::calls() {
  static const nghttp2_session_callbacks* const made = [] {
    nghttp2_session_callbacks* calls = nullptr;
    if (nghttp2_session_callbacks_new(&calls) != 0) {
      throw std::bad_alloc();
    }
    set_head_calls(
        calls,
        [](nghttp2_session*, const nghttp2_frame* frame, void* state) -> int {
          return guarded([=] { return static_cast<State*>(state)->begin_head(*frame), 0; });
        },
        [](nghttp2_session*, const nghttp2_frame*, const std::uint8_t* name, std::size_t name_bytes,
           const std::uint8_t* value, std::size_t value_bytes, std::uint8_t, void* state) -> int {
          return guarded([=] {
            return static_cast<State*>(state)->take_field(text_of(name, name_bytes),
                                                          text_of(value, value_bytes));
          });
        });
    set_frame_calls(calls);
    set_stream_calls(calls);
    return calls;
  }();
  return made;
}

void Session::State::set_frame_calls(nghttp2_session_callbacks* calls) noexcept {
  nghttp2_session_callbacks_set_on_frame_recv_callback(
      calls, [](nghttp2_session*, const nghttp2_frame* frame, void* state) -> int {
        return guarded([=] { return static_cast<State*>(state)->take_frame(*frame), 0; });
      });
  nghttp2_session_callbacks_set_on_frame_send_callback(
      calls, [](nghttp2_session*, const nghttp2_frame* frame, void* state) -> int {
        return static_cast<State*>(state)->note_sent(*frame), 0;
      });
}

void Session::State::set_stream_calls(nghttp2_session_callbacks* calls) noexcept {
  nghttp2_session_callbacks_set_on_data_chunk_recv_callback(
      calls,
      [](nghttp2_session*, std::uint8_t, StreamId id, const std::uint8_t* data, std::size_t bytes,
         void* state) -> int {
        return guarded(
            [=] { return static_cast<State*>(state)->take_data(id, text_of(data, bytes)), 0; });
      });
  nghttp2_session_callbacks_set_on_stream_close_callback(
      calls, [](nghttp2_session*, StreamId id, std::uint32_t code, void* state) -> int {
        static_cast<State*>(state)->note_closed(id, static_cast<ErrorCode>(code));
        return 0;
      });
  nghttp2_session_callbacks_set_send_data_callback(
      calls,
      [](nghttp2_session*, nghttp2_frame* frame, const std::uint8_t* head, std::size_t bytes,
         nghttp2_data_source* source, void* state) -> int {
        return guarded([=] {
          return static_cast<State*>(state)->send_content(frame->hd.stream_id, head, bytes,
                                                          *static_cast<StreamUser*>(source->ptr));
        });
      });
}

nghttp2_data_source_read_callback Session::State::content_call() noexcept {
  return [](nghttp2_session*, StreamId id, std::uint8_t*, std::size_t bytes_max,
            std::uint32_t* flags, nghttp2_data_source* source, void* state) -> ssize_t {
    return guarded([=] {
      return static_cast<State*>(state)->read_content(id, *static_cast<StreamUser*>(source->ptr),
                                                      bytes_max, *flags);
    });
  };
}

}  // namespace eider::h2
