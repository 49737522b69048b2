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

/// What the server has chosen.
enum class SocksMethod : std::uint8_t { none, password };

inline constexpr std::size_t kSocksChoiceBytes = 2;
inline constexpr std::size_t kSocksVerdictBytes = 2;
/// Of a reply, up to the byte that says how long its address is.
inline constexpr std::size_t kSocksReplyBytes = 5;

/// The first message: which methods there are.
[[nodiscard]] std::string socks_greeting(const Proxy& proxy);

/// in      kSocksChoiceBytes
/// errors  a sentence: no SOCKS5, or a method that was not offered
[[nodiscard]] Result<SocksMethod, std::string_view> read_socks_choice(std::string_view in,
                                                                      const Proxy& proxy) noexcept;

/// User and password, 255 bytes each at most: read_proxy sees to that.
[[nodiscard]] std::string socks_password(const Proxy& proxy);
/// in  kSocksVerdictBytes
[[nodiscard]] bool is_socks_accepted(std::string_view in) noexcept;

/// The wish to be connected to a host: an address as such, a name for the proxy to resolve.
///
/// returns  nothing for a name above 255 bytes
[[nodiscard]] std::optional<std::string> socks_connect(std::string_view host, std::uint16_t port);

/// The reply to it.
///
/// in       its first kSocksReplyBytes
/// returns  how many bytes follow these
/// errors   a sentence: why the proxy does not connect, or that this is no reply
[[nodiscard]] Result<std::size_t, std::string_view> read_socks_reply(std::string_view in) noexcept;

}  // namespace eider::net
