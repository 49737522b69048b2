// A block of IP addresses, "10.0.0.0/8" (RFC 4632), and a list of them that is trusted.
// Must not guess: a text that could be meant in two ways is an error that names it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "eider/core/base/result.h"
#include "eider/protocols/http/ip_address.h"

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

/// The other end of a connection, as far as it is known.
class PeerEnd {
 public:
  /// Nobody knows.
  PeerEnd() = default;
  PeerEnd(const IpAddress& address) noexcept : kind_(Kind::ip), address_(address) {}

  /// Reads what Request::remote_address tells: "192.0.2.1", "unix:" with or without a path, or "".
  [[nodiscard]] static PeerEnd parse(std::string_view text) noexcept;

  [[nodiscard]] bool is_unix() const noexcept { return kind_ == Kind::unix_socket; }
  /// Nothing for Unix sockets, and where nobody knows.
  [[nodiscard]] const std::optional<IpAddress>& address() const noexcept { return address_; }

 private:
  enum class Kind : std::uint8_t { unknown, unix_socket, ip };

  Kind kind_ = Kind::unknown;
  std::optional<IpAddress> address_;
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

  /// No peer is trusted.
  [[nodiscard]] bool is_empty() const noexcept { return blocks_.empty() && !trusts_unix_; }
  /// One that nobody knows is trusted never.
  [[nodiscard]] bool trusts(const PeerEnd& peer) const noexcept;
  [[nodiscard]] bool empty() const noexcept { return blocks_.empty() && !trusts_unix_; }

 private:
  std::vector<Cidr> blocks_;
  bool trusts_unix_ = false;
};

/// Whether an address belongs to the internet at large: not to this machine, its link or a private
/// network, nor to one of the blocks for documentation, translation (NAT64, 6to4, Teredo), several
/// receivers or the future.
///
/// source  RFC 6890 and IANA's registries of special-purpose addresses
[[nodiscard]] bool is_public(const IpAddress& address) noexcept;

}  // namespace eider
