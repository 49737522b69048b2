// Session: the handlers of nghttp2's callbacks.
#include <algorithm>
#include <cstring>
#include <vector>

#include "eider/core/base/text.h"
#include "eider/protocols/http/h2/session_state.h"

namespace eider::h2 {

namespace {

using detail::check;
using detail::code_of;
using detail::kBombFactor;
using detail::kFrameHeadBytes;

/// The number of WINDOW_UPDATE frames that the peer may send for each DATA frame of ours: one for
/// the stream and one for the connection.
constexpr std::uint32_t kUpdatesPerFrame = 2;
/// The limit for all trailers of one request, as over HTTP/1.1.
constexpr std::uint64_t kTrailerBytesMax = 8192;

bool has(const nghttp2_frame_hd& head, nghttp2_flag flag) noexcept {
  return (head.flags & flag) != 0;
}

bool is_request(const nghttp2_frame& frame) noexcept {
  return frame.hd.type == NGHTTP2_HEADERS && frame.headers.cat == NGHTTP2_HCAT_REQUEST;
}

}  // namespace

void Session::State::begin_head(const nghttp2_frame& frame) {
  // Heads arrive one at a time, so this state is shared by all streams of the connection.
  trailer_bytes = 0;
  trailers.clear();
  are_trailers_malformed = false;
  builder = nullptr;
  if (!is_request(frame)) {
    return;
  }
  const StreamId id = frame.hd.stream_id;
  // Create the stream before its fields, which go into its builder.
  StreamUser& stream = user.on_stream(id);
  builder = &stream.head();
  builder->begin();
  // Record it immediately, so that frames after its end can be checked even if nghttp2 has
  // forgotten the stream.
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
    listed_bytes = trailer_bytes += name.size() + value.size();
    if (trailer_bytes > kTrailerBytesMax) {
      return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;  // resets the stream
    }
    are_trailers_malformed |= !HeadBuilder::is_trailer(name, value);
    trailers.append(name).append(": ").append(trim(value)).append("\r\n");
  }
  // A client that far exceeds its limit is disconnected instead of rejected, because decoding is
  // expensive.
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
      end_data(frame);
      return;
    case NGHTTP2_RST_STREAM:
      // Not earlier, because its head may have arrived in the same input.
      recent.note_ended(frame.hd.stream_id);
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
  const StreamId id = frame.hd.stream_id;
  const Ends ends = has(frame.hd, NGHTTP2_FLAG_END_STREAM) ? Ends::with_head : Ends::with_content;
  StreamUser* const stream = user_of(id);
  if (stream == nullptr) {
    return;
  }
  if (is_request(frame)) {
    end_request_head(id, *stream, ends);
  } else {
    end_trailers(id, *stream, ends);
  }
}

void Session::State::end_request_head(StreamId id, StreamUser& stream, Ends ends) {
  const HeadBuilder& head = stream.head();
  // A malformed request is not passed to its handler; its stream is reset.
  if (head.is_malformed(ends)) {
    return refuse_malformed(id);
  }
  if (const auto& said = head.priority()) {
    is_prioritised = true;
    // Set the urgency before the stream is served, so that it applies to the response.
    const nghttp2_extpri priority{said->urgency, said->is_incremental ? 1 : 0};
    check(nghttp2_session_change_extpri_stream_priority(session, id, &priority, 0));
  }
  stream.on_head(ends);
}

/// RFC 9113, 8.1: a second head must end the stream.
void Session::State::end_trailers(StreamId id, StreamUser& stream, Ends ends) {
  if (ends == Ends::with_content || are_trailers_malformed) {
    return refuse_malformed(id);
  }
  end_content(id, stream, trailers);
}

void Session::State::end_data(const nghttp2_frame& frame) {
  const bool is_end = has(frame.hd, NGHTTP2_FLAG_END_STREAM);
  // Earlier frames may have reset the stream.
  StreamUser* const stream = user_of(frame.hd.stream_id);
  if (stream != nullptr && is_end) {
    end_content(frame.hd.stream_id, *stream, {});
    // The content is longer than announced: reset the stream before its end is reported.
  } else if (stream != nullptr && stream->head().has_too_much()) {
    refuse_malformed(frame.hd.stream_id);
  } else if (!is_end && frame.hd.length != 0 && frame.hd.length == frame.data.padlen) {
    note(Cheap::empty);
  }
}

void Session::State::end_content(StreamId id, StreamUser& stream, std::string_view trailer_lines) {
  // Incomplete content must not reach the handler as complete (RFC 9113, 8.1.1).
  if (!stream.head().has_whole_content()) {
    return refuse_malformed(id);
  }
  stream.on_content_end(trailer_lines);
}

/// RFC 9113, 8.1.1. Afterwards, nghttp2 reports only the end of the stream.
void Session::State::refuse_malformed(StreamId id) noexcept {
  nghttp2_submit_rst_stream(session, NGHTTP2_FLAG_NONE, id, code_of(ErrorCode::protocol_error));
}

void Session::State::take_data(StreamId id, std::string_view bytes) {
  // Unread content of one stream must not block the others: the window of each stream limits how
  // much is kept.
  nghttp2_session_consume_connection(session, bytes.size());
  StreamUser* const stream = user_of(id);
  if (stream != nullptr && stream->head().count_content(bytes.size())) {
    stream->on_data(bytes);
  } else {
    nghttp2_session_consume_stream(session, id, bytes.size());
  }
}

void Session::State::note_closed(StreamId id, ErrorCode why) noexcept {
  if (StreamUser* const stream = user_of(id)) {
    stream->on_closed(why);
  }
  // The cached stream may be the one that was closed.
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

/// Counts resets with codes that the peer has caused: it has made us process an invalid request.
void Session::State::note_reset_sent(std::uint32_t code) noexcept {
  switch (code) {
    case NGHTTP2_PROTOCOL_ERROR:
    case NGHTTP2_FLOW_CONTROL_ERROR:
    case NGHTTP2_STREAM_CLOSED:
    case NGHTTP2_FRAME_SIZE_ERROR:
      note(Cheap::provoked_reset);
      return;
    case NGHTTP2_REFUSED_STREAM:  // also sent to clients that do not know our settings yet
      note(Cheap::reset);
      return;
    default:
      return;
  }
}

ssize_t Session::State::read_content(StreamId id, std::size_t bytes_max, std::uint32_t& flags,
                                     const nghttp2_data_source& source) {
  auto& from = *static_cast<StreamUser*>(source.ptr);
  const Ready ready = from.ready(bytes_max);
  if (ready.bytes == 0 && !ready.is_last) {
    return NGHTTP2_ERR_DEFERRED;
  }
  // `send_content` copies the content directly into the output.
  flags |= NGHTTP2_DATA_FLAG_NO_COPY;
  if (ready.is_last) {
    flags |= NGHTTP2_DATA_FLAG_EOF;
    const std::string_view lines = from.trailer_lines();
    if (!lines.empty()) {
      // The trailers end the stream, so the content must not end it.
      flags |= NGHTTP2_DATA_FLAG_NO_END_STREAM;
      submit_trailers(id, lines);
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
                                 const nghttp2_data_source& source) {
  auto& from = *static_cast<StreamUser*>(source.ptr);
  // The limit is checked before a frame, so that no frame is cut.
  if (out->size() >= out_bytes_max) {
    is_full = true;
    return NGHTTP2_ERR_WOULDBLOCK;
  }
  char* const at = out->reserve(kFrameHeadBytes + bytes);
  // Leave room for the frame header before the content; it is written afterwards.
  if (!from.put(at + kFrameHeadBytes, bytes)) {
    return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
  }
  note_latest(id, from);
  std::memcpy(at, frame_head, kFrameHeadBytes);
  out->commit(kFrameHeadBytes + bytes);
  return 0;
}

}  // namespace eider::h2
