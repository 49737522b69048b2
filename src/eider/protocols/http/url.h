// Url: the type of a member that contains a URL.
// Layering: must not resolve names: whether the server exists is not checked.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "eider/core/reflect/constraints.h"

namespace eider {

/// An absolute http or https URL of at most 2048 bytes, with a host, without a user name, and
/// percent-encoded where needed.
///
/// source  RFC 3986, section 3; RFC 9110, section 4.2
struct IsUrl {
  static constexpr std::size_t kBytesMax = 2048;

  static bool check(std::string_view text);
  static Requirement describe();
};

using Url = Validated<std::string, IsUrl>;

}  // namespace eider
