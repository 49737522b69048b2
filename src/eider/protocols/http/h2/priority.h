// How urgent a client says that an answer is (RFC 9218).
// Must not decide what is sent first: that is the session's.
#pragma once

#include <cstdint>
#include <string_view>

namespace eider::h2 {

struct Priority {
  /// 0, the most urgent, to 7.
  std::uint32_t urgency = 3;
  /// It can be used before it is whole, so that it may share the connection.
  bool is_incremental = false;
};

/// Changes what the value of a Priority field says: "u=1, i". Members that are unknown or malformed
/// are ignored, as section 4 asks.
void read_priority(std::string_view value, Priority& into) noexcept;

}  // namespace eider::h2
