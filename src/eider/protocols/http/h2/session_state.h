// The implementation of Session: nghttp2's session and additional counters.
// Layering: must be included only by session.cc and session_calls.cc: it uses nghttp2's types.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include <nghttp2/nghttp2.h>

#include "eider/core/base/buffer.h"
#include "eider/protocols/http/h2/flood_guard.h"
#include "eider/protocols/http/h2/frame_scanner.h"
#include "eider/protocols/http/h2/library.h"
#include "eider/protocols/http/h2/session.h"

namespace eider::h2 {

/// The fate of a client's latest streams, two bits for each.
class RecentStreams {
 public:
  enum class Fate : std::uint8_t {
    /// A stream with a higher ID was opened first, which closed it (RFC 9113, section 5.1.1).
    never_opened,
    /// The peer has ended its side.
    ended_by_peer,
    /// We have ended it, or it is too old.
    unknown,
  };

  /// Returns the last stream that was opened; 0 before the first.
  [[nodiscard]] std::int32_t last() const noexcept { return last_; }

  /// Pre: id is odd and larger than last().
  void note_opened(std::int32_t id) noexcept {
    const std::uint32_t ids = static_cast<std::uint32_t>(id) - static_cast<std::uint32_t>(last_);
    const std::uint32_t step = (ids + 1) / 2;
    // Skipped stream IDs count as never opened: their bits stay zero.
    opened_ = step < kCount ? opened_ << step | 1 : 1;
    ended_ = step < kCount ? ended_ << step : 0;
    last_ = id;
  }
  void note_ended(std::int32_t id) noexcept {
    if (is_recent(id)) {
      ended_ |= bit_of(id);
    }
  }
  /// Pre: id <= last().
  [[nodiscard]] Fate fate_of(std::int32_t id) const noexcept {
    if (!is_recent(id)) {
      return Fate::unknown;
    }
    if ((opened_ & bit_of(id)) == 0) {
      return Fate::never_opened;
    }
    return (ended_ & bit_of(id)) != 0 ? Fate::ended_by_peer : Fate::unknown;
  }

 private:
  static constexpr std::uint32_t kCount = 64;

  [[nodiscard]] bool is_recent(std::int32_t id) const noexcept {
    return id % 2 == 1 && id <= last_ && static_cast<std::uint32_t>(last_ - id) / 2 < kCount;
  }
  [[nodiscard]] std::uint64_t bit_of(std::int32_t id) const noexcept {
    return std::uint64_t{1} << (static_cast<std::uint32_t>(last_ - id) / 2);
  }

  std::uint64_t opened_ = 0;  // bit 0 is for the last stream
  std::uint64_t ended_ = 0;
  std::int32_t last_ = 0;
};

struct Session::State {
  State(SessionUser& its_user, const SessionOptions& options);
  ~State() { nghttp2_session_del(session); }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  /// Returns null for a stream that nghttp2 does not know, or no longer.
  [[nodiscard]] StreamUser* user_of(StreamId id) const noexcept {
    return id == latest_id
               ? latest
               : static_cast<StreamUser*>(nghttp2_session_get_stream_user_data(session, id));
  }
  /// The next callbacks are usually for the same stream, and a lookup costs as much as reading a
  /// field.
  void note_latest(StreamId id, StreamUser& stream) noexcept {
    latest_id = id;
    latest = &stream;
  }
  void terminate(ErrorCode why) noexcept;
  /// Ends the session because of an error of nghttp2.
  void fail(int error) noexcept;
  /// Counts a frame of that kind, and ends the connection if there are too many.
  void note(Cheap kind) noexcept;
  /// Converts fields for nghttp2; valid until the next call.
  [[nodiscard]] std::span<const nghttp2_nv> to_pairs(std::span<const OutField> fields);

  // Handled here instead of by nghttp2: session_frames.cc.
  /// Passes the bytes to nghttp2, each frame after it was checked.
  void receive(std::string_view bytes);
  [[nodiscard]] bool comes_in_parts(std::string_view bytes) const noexcept;
  void pass_on(std::string_view bytes);
  [[nodiscard]] bool depends_on_streams(const FrameHead& head) noexcept;
  void check_frame(const FrameHead& head) noexcept;
  void check_stream(const FrameHead& head) noexcept;
  void count_frame(const FrameHead& head) noexcept;
  [[nodiscard]] std::optional<Unfinished> unfinished() const noexcept;

  // The handlers of nghttp2's callbacks: session_calls.cc.
  void begin_head(const nghttp2_frame& frame);
  int take_field(std::string_view name, std::string_view value);
  void take_frame(const nghttp2_frame& frame);
  void end_head(const nghttp2_frame& frame);
  void end_request_head(StreamId id, StreamUser& stream, Ends ends);
  void end_trailers(StreamId id, StreamUser& stream, Ends ends);
  void end_data(const nghttp2_frame& frame);
  void end_content(StreamId id, StreamUser& stream, std::string_view trailer_lines);
  void refuse_malformed(StreamId id) noexcept;
  void take_data(StreamId id, std::string_view bytes);
  void note_closed(StreamId id, ErrorCode why) noexcept;
  void note_sent(const nghttp2_frame& frame) noexcept;
  void note_reset_sent(std::uint32_t code) noexcept;
  ssize_t read_content(StreamId id, std::size_t bytes_max, std::uint32_t& flags,
                       const nghttp2_data_source& source);
  void submit_trailers(StreamId id, std::string_view lines);
  int send_content(StreamId id, const std::uint8_t* frame_head, std::size_t bytes,
                   const nghttp2_data_source& source);

  SessionUser& user;
  nghttp2_session* session = nullptr;
  HeadLimits head_limits;
  std::uint32_t streams_max;
  FloodGuard guard;
  RecentStreams recent;
  FrameScanner frames{kPreface.size()};
  std::uint64_t head_frame = 0;               // the number of the frame that started the last head
  std::uint8_t last_type = NGHTTP2_SETTINGS;  // of the last frame header, or the preface
  StreamId last_head = 0;  // of the HEADERS seen, even if nghttp2 has not processed it yet
  std::uint64_t now_ms = 0;
  HeadBuilder* builder = nullptr;  // for the head that is arriving; null for trailers
  StreamId latest_id = 0;          // never a closed stream
  StreamUser* latest = nullptr;
  std::uint64_t trailer_bytes = 0;
  std::string trailers;  // the lines of trailers that are arriving
  bool are_trailers_malformed = false;
  Buffer* out = nullptr;
  std::size_t out_bytes_max = 0;
  detail::Pairs pairs;
  bool is_prioritised = false;  // the client has used priorities
  bool is_full = false;
  bool is_doomed = false;
  bool is_broken = false;
  std::uint32_t continuations = 0;  // of the current head
  bool awaits_continuation = false;
};

}  // namespace eider::h2
