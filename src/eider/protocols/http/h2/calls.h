// Passes the callbacks of nghttp2 on to the State of a session.
// Layering: must be included only by the implementation of sessions: it uses nghttp2's types.
#pragma once

#include "eider/protocols/http/h2/library.h"

namespace eider::h2::detail {

/// The callbacks for nghttp2, with the State as their user data.
template <class State>
class Calls {
 public:
  /// Returns the callbacks, which are created once and never freed.
  ///
  /// errors  std::bad_alloc
  [[nodiscard]] static const nghttp2_session_callbacks* all() {
    static const nghttp2_session_callbacks* const made = [] {
      nghttp2_session_callbacks* calls = nullptr;
      check(nghttp2_session_callbacks_new(&calls));
      set_head_calls(calls);
      set_frame_calls(calls);
      set_stream_calls(calls);
      return calls;
    }();
    return made;
  }

  /// Provides the content of a stream that we send.
  [[nodiscard]] static ssize_t read_content(nghttp2_session* /*session*/, StreamId id,
                                            std::uint8_t* /*data*/, std::size_t bytes_max,
                                            std::uint32_t* flags, nghttp2_data_source* source,
                                            void* state) noexcept {
    return guarded([=] { return of(state).read_content(id, bytes_max, *flags, *source); });
  }

 private:
  static State& of(void* state) noexcept { return *static_cast<State*>(state); }

  static void set_head_calls(nghttp2_session_callbacks* calls) noexcept {
    nghttp2_session_callbacks_set_on_begin_headers_callback(
        calls, [](nghttp2_session*, const nghttp2_frame* frame, void* state) -> int {
          return guarded([=] { return of(state).begin_head(*frame), 0; });
        });
    nghttp2_session_callbacks_set_on_header_callback(
        calls,
        [](nghttp2_session*, const nghttp2_frame*, const std::uint8_t* name, std::size_t name_bytes,
           const std::uint8_t* value, std::size_t value_bytes, std::uint8_t, void* state) -> int {
          return guarded([=] {
            return of(state).take_field(text_of(name, name_bytes), text_of(value, value_bytes));
          });
        });
    // An invalid field makes the whole message invalid; no field is dropped silently.
    nghttp2_session_callbacks_set_on_invalid_header_callback(
        calls,
        [](nghttp2_session*, const nghttp2_frame*, const std::uint8_t*, std::size_t,
           const std::uint8_t*, std::size_t, std::uint8_t,
           void*) -> int { return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE; });
  }

  static void set_frame_calls(nghttp2_session_callbacks* calls) noexcept {
    nghttp2_session_callbacks_set_on_frame_recv_callback(
        calls, [](nghttp2_session*, const nghttp2_frame* frame, void* state) -> int {
          return guarded([=] { return of(state).take_frame(*frame), 0; });
        });
    nghttp2_session_callbacks_set_on_frame_send_callback(
        calls, [](nghttp2_session*, const nghttp2_frame* frame, void* state) -> int {
          return of(state).note_sent(*frame), 0;
        });
    if constexpr (requires(State state, nghttp2_frame frame) { state.note_not_sent(frame); }) {
      nghttp2_session_callbacks_set_on_frame_not_send_callback(
          calls, [](nghttp2_session*, const nghttp2_frame* frame, int, void* state) -> int {
            return of(state).note_not_sent(*frame), 0;
          });
    }
  }

  static void set_stream_calls(nghttp2_session_callbacks* calls) noexcept {
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(
        calls,
        [](nghttp2_session*, std::uint8_t, StreamId id, const std::uint8_t* data, std::size_t bytes,
           void* state) -> int {
          return guarded([=] { return of(state).take_data(id, text_of(data, bytes)), 0; });
        });
    nghttp2_session_callbacks_set_on_stream_close_callback(
        calls, [](nghttp2_session*, StreamId id, std::uint32_t code, void* state) -> int {
          return guarded(
              [=] { return of(state).note_closed(id, static_cast<ErrorCode>(code)), 0; });
        });
    nghttp2_session_callbacks_set_send_data_callback(
        calls,
        [](nghttp2_session*, nghttp2_frame* frame, const std::uint8_t* head, std::size_t bytes,
           nghttp2_data_source* source, void* state) -> int {
          return guarded(
              [=] { return of(state).send_content(frame->hd.stream_id, head, bytes, *source); });
        });
  }
};

}  // namespace eider::h2::detail
