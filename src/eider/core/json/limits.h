// Limits of JSON input, and the policy for unknown members.
// Layering: must not depend on the sender: the caller sets limits for clients or routes.
#pragma once

#include <cstddef>
#include <cstdint>

namespace eider::json {

enum class UnknownMembers : std::uint8_t { kRefuse, kIgnore };

/// Limits of one JSON text.
///
/// depth_max     nested arrays and objects; 1 is a flat object; at most kDepthMax
/// elements_max  array elements and object members of the whole text together
/// errors_max    validation errors reported; the rest of the text is still checked for its syntax
struct Limits {
  static constexpr std::size_t kDepthMax = 512;  // reading recurses: this bounds its stack

  std::size_t bytes_max = std::size_t{8} << 20;
  std::size_t depth_max = 64;
  std::size_t elements_max = 1'000'000;
  std::size_t errors_max = 32;
  UnknownMembers unknown_members = UnknownMembers::kRefuse;
};

}  // namespace eider::json
