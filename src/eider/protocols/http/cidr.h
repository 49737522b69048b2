// A block of IP addresses, such as "10.0.0.0/8" (RFC 4632), and a list of trusted blocks.
// Layering: must not guess: an ambiguous text is an error that contains the text.
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
  /// Parses "10.0.0.0/8", "2001:db8::/32", or a single address.
  ///
  /// errors   a sentence that quotes the text: not an address, no valid prefix length, or bits set
  ///          after the prefix
  [[nodiscard]] static Result<Cidr, std::string> parse(std::string_view text);

  /// Returns whether the block contains an address. Blocks of one family contain no address of the
  /// other; "::ffff:10.0.0.1" is IPv4 everywhere.
  [[nodiscard]] bool contains(const IpAddress& address) const noexcept;
  /// Returns "10.0.0.0/8"; with the prefix length also for a single address.
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
  /// An unknown end.
  PeerEnd() = default;
  PeerEnd(const IpAddress& address) noexcept : kind_(Kind::ip), address_(address) {}

  /// Parses the result of Request::remote_address: "192.0.2.1", "unix:" with or without a path, or
  /// "".
  [[nodiscard]] static PeerEnd parse(std::string_view text) noexcept;

  [[nodiscard]] bool is_unix() const noexcept { return kind_ == Kind::unix_socket; }
  /// Returns the address; nothing for Unix sockets and unknown ends.
  [[nodiscard]] const std::optional<IpAddress>& address() const noexcept { return address_; }

 private:
  enum class Kind : std::uint8_t { unknown, unix_socket, ip };

  Kind kind_ = Kind::unknown;
  std::optional<IpAddress> address_;
};

/// The proxies that are trusted to report the origin of a request.
class TrustedPeers {
 public:
  /// Trusts no proxy.
  TrustedPeers() = default;

  /// Parses blocks separated by commas or spaces, and "unix" for peers on Unix sockets:
  /// "10.0.0.0/8, ::1, unix".
  ///
  /// errors   the error of Cidr::parse for the first invalid block
  [[nodiscard]] static Result<TrustedPeers, std::string> parse(std::string_view text);

  /// Returns whether no peer is trusted.
  [[nodiscard]] bool is_empty() const noexcept { return blocks_.empty() && !trusts_unix_; }
  /// Returns whether a peer is trusted; an unknown one never is.
  [[nodiscard]] bool trusts(const PeerEnd& peer) const noexcept;
  [[nodiscard]] bool empty() const noexcept { return blocks_.empty() && !trusts_unix_; }

 private:
  std::vector<Cidr> blocks_;
  bool trusts_unix_ = false;
};

/// Returns whether an address is public: not of this machine, its link or a private network, nor of
/// a block for documentation, translation (NAT64, 6to4, Teredo), multicast or future use.
///
/// source  RFC 6890 and IANA's registries of special-purpose addresses
[[nodiscard]] bool is_public(const IpAddress& address) noexcept;

}  // namespace eider
