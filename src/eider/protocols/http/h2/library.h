// Common calls to nghttp2 for client and server.
// Layering: must be included only by the implementation of sessions: it uses nghttp2's types.
#pragma once

#include <nghttp2/nghttp2.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <new>
#include <span>
#include <string_view>
#include <vector>

#include "eider/core/base/buffer.h"
#include "eider/protocols/http/h2/out_field.h"
#include "eider/protocols/http/h2/session.h"

namespace eider::h2::detail {

/// If more acknowledgements are waiting to be sent, the connection ends.
inline constexpr std::size_t kAcknowledgementsMax = 500;
/// Never reached: nghttp2 counts a frame header again for each piece in which it arrives. The
/// sessions have a more exact count.
inline constexpr std::size_t kLibraryContinuationsMax = 10'000;

inline constexpr std::size_t kFrameHeadBytes = 9;
/// If the fields of a head exceed their limit by this factor, they are not decoded any further.
inline constexpr std::uint64_t kBombFactor = 4;

[[nodiscard]] inline std::string_view text_of(const std::uint8_t* bytes,
                                              std::size_t count) noexcept {
  return {reinterpret_cast<const char*>(bytes), count};
}

[[nodiscard]] constexpr std::uint32_t code_of(ErrorCode code) noexcept {
  return static_cast<std::uint32_t>(code);
}

/// Returns the allocator for nghttp2's many small objects: free lists of the thread. A hundred
/// concurrent streams exceed the caches of the heap; this saves 0.1 us of 1.3 us per request.
[[nodiscard]] nghttp2_mem* session_memory() noexcept;

/// nghttp2 is C code, so exceptions must not pass through it. Only memory can be missing here.
template <class F>
auto guarded(F call) noexcept -> decltype(call()) {
  try {
    return call();
  } catch (...) {
    return NGHTTP2_ERR_CALLBACK_FAILURE;
  }
}

/// errors  std::bad_alloc; any other error would be a bug in our code
inline void check(int error) {
  if (error != 0) {
    throw std::bad_alloc();
  }
}

/// Returns the options that client and server share; never freed.
[[nodiscard]] inline nghttp2_option* make_options() {
  nghttp2_option* options = nullptr;
  check(nghttp2_option_new(&options));
  nghttp2_option_set_no_auto_window_update(options, 1);
  nghttp2_option_set_max_outbound_ack(options, kAcknowledgementsMax);
  nghttp2_option_set_max_continuations(options, kLibraryContinuationsMax);
  return options;
}

/// Implements Session::send and ClientSession::send.
template <class State>
bool send_some(State& state, Buffer& out, std::size_t bytes_max) {
  // The callbacks write to `out`, so it is set for the duration of this call.
  state.out = &out;
  state.out_bytes_max = bytes_max;
  state.is_full = false;
  while (out.size() < bytes_max && !state.is_full) {
    const std::uint8_t* bytes = nullptr;
    const auto count = nghttp2_session_mem_send(state.session, &bytes);
    // nghttp2 fails here only if memory is missing; its state is then unusable.
    if (count < 0) {
      state.is_doomed = state.is_broken = true;
    }
    if (count <= 0) {
      return !state.is_full;
    }
    // Small frames are in nghttp2's own memory and valid until the next call, so they are copied.
    out.append({reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(count)});
  }
  return false;
}

/// Converts lists of fields to nghttp2's type.
class Pairs {
 public:
  /// The result is valid until the next call.
  ///
  /// flags_of  returns further flags of a field
  template <class FlagsOf>
  [[nodiscard]] std::span<const nghttp2_nv> of(std::span<const OutField> fields, FlagsOf flags_of) {
    if (pairs_.capacity() > kKeptMax) {
      pairs_ = {};
    }
    pairs_.clear();
    for (const OutField& field : fields) {
      pairs_.push_back(to_pair(field, flags_of(field)));
    }
    return pairs_;
  }

 private:
  /// Larger memory is freed.
  static constexpr std::size_t kKeptMax = 64;

  static nghttp2_nv to_pair(const OutField& field, unsigned more_flags) noexcept {
    static constexpr std::array<unsigned, 3> kFlags = {
        NGHTTP2_NV_FLAG_NONE, NGHTTP2_NV_FLAG_NO_COPY_NAME,
        NGHTTP2_NV_FLAG_NO_COPY_NAME | NGHTTP2_NV_FLAG_NO_COPY_VALUE};
    const unsigned flags = kFlags[static_cast<std::size_t>(field.is_static)] | more_flags;
    // nghttp2 does not write to them.
    return {.name = reinterpret_cast<std::uint8_t*>(const_cast<char*>(field.name.data())),
            .value = reinterpret_cast<std::uint8_t*>(const_cast<char*>(field.value.data())),
            .namelen = field.name.size(),
            .valuelen = field.value.size(),
            .flags = static_cast<std::uint8_t>(flags)};
  }

  std::vector<nghttp2_nv> pairs_;
};

}  // namespace eider::h2::detail
