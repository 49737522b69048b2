// The client side of SOCKS5 (RFC 1928) with user and password (RFC 1929), as bytes.
// Layering: must not read or write sockets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "eider/core/base/result.h"
#include "eider/io/net/proxy.h"

namespace eider::net {

/// The method that the server has chosen.
enum class SocksMethod : std::uint8_t { none, password };

inline constexpr std::size_t kSocksChoiceBytes = 2;
inline constexpr std::size_t kSocksVerdictBytes = 2;
/// The part of a reply up to the byte with the length of its address.
inline constexpr std::size_t kSocksReplyBytes = 5;

/// Returns the first message, with the supported methods.
[[nodiscard]] std::string socks_greeting(const Proxy& proxy);

/// in      kSocksChoiceBytes bytes
/// errors  a sentence: not SOCKS5, or a method that was not offered
[[nodiscard]] Result<SocksMethod, std::string_view> read_socks_choice(std::string_view in,
                                                                      const Proxy& proxy) noexcept;

/// Returns the message with user and password, each at most 255 bytes, which read_proxy ensures.
[[nodiscard]] std::string socks_password(const Proxy& proxy);
/// in  kSocksVerdictBytes bytes
[[nodiscard]] bool is_socks_accepted(std::string_view in) noexcept;

/// Returns the request to connect to a host: an address, or a name that the proxy resolves.
///
/// returns  nothing if the name is longer than 255 bytes
[[nodiscard]] std::optional<std::string> socks_connect(std::string_view host, std::uint16_t port);

/// Reads the reply to it.
///
/// in       its first kSocksReplyBytes bytes
/// returns  the number of bytes that follow these
/// errors   a sentence: why the proxy does not connect, or that this is not a valid reply
[[nodiscard]] Result<std::size_t, std::string_view> read_socks_reply(std::string_view in) noexcept;

}  // namespace eider::net
