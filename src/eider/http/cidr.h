// A block of IP addresses, "10.0.0.0/8" (RFC 4632), and a list of them that is trusted.
// Must not guess: a text that could be meant in two ways is an error that names it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "eider/base/result.h"
#include "eider/http/ip_address.h"

namespace eider {

class Cidr {
 public:
  /// "10.0.0.0/8", "2001:db8::/32", or an address alone: that one.
  ///
  /// errors   a sentence that names the text: no address, no prefix length or one too large, or
  ///          bits set behind the prefix
  [[nodiscard]] static Result<Cidr, std::string> parse(std::string_view text);

  /// Blocks of one family hold no address of the other; "::ffff:10.0.0.1" is IPv4 everywhere.
  [[nodiscard]] bool contains(const IpAddress& address) const noexcept;
  /// "10.0.0.0/8"; the prefix length also for one address.
  [[nodiscard]] std::string to_text() const;

  friend bool operator==(const Cidr&, const Cidr&) noexcept = default;

 private:
  Cidr(const IpAddress& first, std::uint8_t prefix_bits) noexcept
      : first_(first), prefix_bits_(prefix_bits) {}

  IpAddress first_;
  std::uint8_t prefix_bits_;
};

/// Whose word is taken about where a request came from.
class TrustedPeers {
 public:
  /// Nobody.
  TrustedPeers() = default;

  /// Blocks separated by commas and blanks, among them "unix" for peers on Unix sockets:
  /// "10.0.0.0/8, ::1, unix".
  ///
  /// errors   what Cidr::parse says of the first one that is wrong
  [[nodiscard]] static Result<TrustedPeers, std::string> parse(std::string_view text);

  /// peer  nothing: a peer on a Unix socket
  [[nodiscard]] bool trusts(const std::optional<IpAddress>& peer) const noexcept;

 private:
  std::vector<Cidr> blocks_;
  bool trusts_unix_ = false;
};

}  // namespace eider
