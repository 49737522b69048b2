#include "eider/io/ws/ws_input.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace eider::ws::detail {

namespace {

constexpr std::uint32_t kDroppedBytesMax = 4U * 1024 * 1024;

}  // namespace

bool WsInput::note_control_frame(Instant now, std::uint32_t per_second_max) noexcept {
  const auto since = std::chrono::floor<std::chrono::seconds>(now.time_since_epoch());
  const auto second = static_cast<std::uint16_t>(since.count());
  // Each second has its own count.
  if (second != second_) {
    second_ = second;
    counted_ = 0;
  }
  return ++counted_ <= per_second_max;
}

bool WsInput::drop(std::size_t bytes) noexcept {
  // The cap keeps the sum from wrapping.
  counted_ += static_cast<std::uint32_t>(std::min<std::size_t>(bytes, kDroppedBytesMax));
  return counted_ <= kDroppedBytesMax;
}

void WsInput::keep(ws::MessageReader& used) {
  const bool is_done = used.is_idle() && !used.is_closed() && used.refusal() == ws::Refusal::none;
  if (is_done) {
    kept_.reset();
  } else if (kept_ == nullptr) {
    kept_ = std::make_unique<Kept>(std::move(used));
  }
}

}  // namespace eider::ws::detail
