// The type of a member that holds a URL.
// Must not look anything up: it is not checked whether there is such a server.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "eider/core/reflect/constraints.h"

namespace eider {

/// An absolute http or https URL of at most 2048 bytes, with a host and without a user, in which
/// all that must be percent-encoded is.
///
/// source  RFC 3986, section 3; RFC 9110, section 4.2
struct IsUrl {
  static constexpr std::size_t kBytesMax = 2048;

  static bool check(std::string_view text);
  static Requirement describe();
};

using Url = Must<std::string, IsUrl>;

}  // namespace eider
