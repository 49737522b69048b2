// The "host:port" of a URL: http://, https://, ws:// and wss://.
// Layering: must not resolve names, nor read parts that only one scheme has.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "eider/core/base/result.h"

namespace eider::detail::http {

enum class AuthorityFlaw : std::uint8_t { names_a_user, bad_host, bad_port };

/// The parts, as views of the text that was read.
struct Authority {
  std::string_view host;           ///< without the brackets of an IPv6 address
  std::string_view host_as_it_is;  ///< with the brackets
  std::uint16_t port = 0;          ///< the default port of the scheme if the text has none
};

/// authority = host [ ":" port ], without user information.
///
/// errors  names_a_user: it has an "@"; bad_host: no host, or bytes other than ASCII letters,
///         digits, '.', '-' and '_'; bad_port: not a number from 1 to 65535
/// source  RFC 3986, section 3.2; RFC 9110, section 4.2.4 (no user)
[[nodiscard]] Result<Authority, AuthorityFlaw> read_authority(std::string_view text,
                                                              std::uint16_t usual_port) noexcept;

}  // namespace eider::detail::http
