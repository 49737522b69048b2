#include "eider/server/http2/loop_h2.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "eider/server/http2/connection_h2.h"
#include "eider/server/http2/stream_h2.h"

namespace eider::detail::http2 {

namespace {

constexpr std::size_t kSpareMax = 256;

}  // namespace

LoopH2::LoopH2(server::LoopContext& its_context, const Http2Options& its_options)
    : context(its_context), options(its_options) {}

LoopH2::~LoopH2() = default;

h2::SessionOptions LoopH2::session_options() const noexcept {
  constexpr std::uint32_t kWindowMin = 65535;
  constexpr std::uint32_t kWindowMax = 0x7FFFFFFF;
  return {.head = {.head_bytes_max = context.limits.head_bytes_max,
                   .target_bytes_max = context.limits.target_bytes_max,
                   .headers_max = context.limits.headers_max},
          .streams_max = std::max<std::uint32_t>(options.streams_max, 1),
          .stream_window_bytes = std::clamp(options.stream_window_bytes, kWindowMin, kWindowMax),
          .connection_window_bytes =
              std::clamp(options.connection_window_bytes, kWindowMin, kWindowMax)};
}

/// Returns a quarter of the shortest measured interval.
Duration LoopH2::tick() const noexcept {
  const Limits& limits = context.limits;
  const Duration shortest = std::min({limits.head, limits.body, limits.write, limits.linger});
  return std::clamp<Duration>(shortest / 4, std::chrono::milliseconds(1), std::chrono::seconds(1));
}

UpgradedPtr LoopH2::take_over(UpgradedLine& line) {
  return std::make_unique<ConnectionH2>(*this, line);
}

std::unique_ptr<StreamH2> LoopH2::take_stream() {
  if (spare_.empty()) {
    return std::make_unique<StreamH2>();
  }
  std::unique_ptr<StreamH2> stream = std::move(spare_.back());
  spare_.pop_back();
  return stream;
}

// Reset it now, not when it is reused: tasks and extensions must end with their stream.
void LoopH2::give_back(std::unique_ptr<StreamH2> stream) noexcept {
  stream->reset();
  if (spare_.size() < kSpareMax) {
    spare_.push_back(std::move(stream));
  }
}

}  // namespace eider::detail::http2
