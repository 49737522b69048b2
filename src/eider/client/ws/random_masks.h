// Unpredictable mask keys: random numbers of the kernel, fetched in batches.
// Layering: must not be shared between threads, and returns no byte twice.
#pragma once

#include <array>
#include <cstddef>

#include "eider/protocols/http/ws/message_writer.h"

namespace eider::detail::client {

/// source   RFC 6455, section 5.3: "derived from a strong source of entropy"
class RandomMasks final : public ws::MaskSource {
 public:
  /// errors  throws std::system_error if the kernel has no random numbers
  [[nodiscard]] ws::MaskKey next() override;

 private:
  // getrandom returns up to 256 bytes completely, even if signals arrive.
  std::array<ws::MaskKey, 64> keys_{};
  std::size_t left_ = 0;
};

}  // namespace eider::detail::client
