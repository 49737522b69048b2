// The implementation of ClientSession: nghttp2's session and additional counters.
// Layering: must be included only by client_session.cc and client_session_calls.cc: it uses
// nghttp2's types.
#pragma once

#include <nghttp2/nghttp2.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "eider/core/base/buffer.h"
#include "eider/protocols/http/h2/client_session.h"
#include "eider/protocols/http/h2/flood_guard.h"
#include "eider/protocols/http/h2/frame_scanner.h"
#include "eider/protocols/http/h2/library.h"

namespace eider::h2 {

inline constexpr std::string_view kNoHttp2 = "The server did not send valid HTTP/2.";

struct ClientSession::State {
  explicit State(const ClientSessionOptions& its_options);
  ~State() { nghttp2_session_del(session); }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  [[nodiscard]] ReplyUser* user_of(StreamId id) const noexcept {
    return static_cast<ReplyUser*>(nghttp2_session_get_stream_user_data(session, id));
  }
  void terminate(ErrorCode why, std::string_view text) noexcept;
  /// Ends the session because of an error of nghttp2.
  void fail(int error) noexcept;
  /// Counts a frame of that kind, and ends the connection if there are too many.
  void note(Cheap kind) noexcept;
  /// Converts fields for nghttp2; valid until the next call.
  [[nodiscard]] std::span<const nghttp2_nv> to_pairs(std::span<const OutField> fields);
  void submit_trailers(StreamId id, std::string_view lines);
  /// Removes the stream's user; it is not called again.
  void let_go(StreamId id) noexcept;
  /// Handles an invalid response: resets the stream and informs its user.
  void refuse(StreamId id, ReplyUser& user, const ReplyRefusal& why);

  // Checks that run before nghttp2 sees a frame.
  void receive(std::string_view bytes);
  void check_frame(const FrameHead& head) noexcept;
  void check_continuation(const FrameHead& head) noexcept;

  // The handlers of nghttp2's callbacks: client_session_calls.cc.
  void begin_head(const nghttp2_frame& frame) noexcept;
  int take_field(std::string_view name, std::string_view value);
  void take_frame(const nghttp2_frame& frame);
  void end_head(StreamId id, Ends ends);
  void end_response(StreamId id, std::string_view trailer_lines);
  void take_data(StreamId id, std::string_view bytes);
  void note_reset(StreamId id, ErrorCode code) noexcept;
  void note_closed(StreamId id, ErrorCode code);
  void note_sent(const nghttp2_frame& frame) noexcept;
  void note_not_sent(const nghttp2_frame& frame) noexcept;
  ssize_t read_content(StreamId id, std::size_t bytes_max, std::uint32_t& flags,
                       const nghttp2_data_source& source) noexcept;
  int send_content(StreamId id, const std::uint8_t* frame_head, std::size_t bytes,
                   const nghttp2_data_source& source);

  ClientSessionOptions options;
  nghttp2_session* session = nullptr;
  ReplyBuilder builder;
  bool is_building = false;  // the current head belongs to a stream with a user
  FloodGuard guard;
  FrameScanner frames{0};
  std::uint32_t continuations = 0;  // of the current head
  std::uint32_t continuations_max;
  std::uint64_t now_ms = 0;
  std::uint64_t pongs = 0;
  std::size_t open_streams = 0;
  Buffer* out = nullptr;
  std::size_t out_bytes_max = 0;
  detail::Pairs pairs;
  std::optional<ErrorCode> going_away;
  std::string_view flaw;
  bool has_settings = false;
  bool is_full = false;
  bool is_doomed = false;
  bool is_broken = false;
};

}  // namespace eider::h2
