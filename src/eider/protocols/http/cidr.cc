#include "eider/protocols/http/cidr.h"

#include <algorithm>
#include <initializer_list>
#include <span>

#include "eider/core/base/text.h"

namespace eider {

namespace {

constexpr std::uint8_t kMappedBits = 96;  // of "::ffff:0:0/96", which contains all of IPv4
constexpr std::string_view kSeparators = ", \t";

std::unexpected<std::string> complain(std::string_view text, std::string_view what) {
  return fail("\"" + std::string(text) + "\" is not a valid address block: " + std::string(what));
}

std::uint8_t bits_of(const IpAddress& address) noexcept {
  return static_cast<std::uint8_t>(address.bytes().size() * 8);
}

/// Returns the bits of byte `index` that belong to the prefix.
std::uint8_t mask_of(std::size_t index, std::uint8_t prefix_bits) noexcept {
  const std::size_t before = index * 8;
  const std::size_t bits =
      prefix_bits <= before ? 0 : std::min<std::size_t>(prefix_bits - before, 8);
  return static_cast<std::uint8_t>(0xFF00U >> bits);
}

bool has_bits_behind(const IpAddress& address, std::uint8_t prefix_bits) noexcept {
  const auto bytes = address.bytes();
  for (std::size_t index = 0; index < bytes.size(); ++index) {
    if ((bytes[index] & ~mask_of(index, prefix_bits) & 0xFF) != 0) {
      return true;
    }
  }
  return false;
}

/// Returns the prefix length for `address`, which was written as `text`. The length of a block of
/// mapped addresses counts from the first bit of IPv6.
std::optional<std::uint8_t> prefix_of(const IpAddress& address, std::string_view text,
                                      std::string_view length) noexcept {
  const std::optional<std::uint8_t> bits = parse_integer<std::uint8_t>(length);
  // Leading zeros are rejected, because other programs may read "010" as octal.
  const bool is_plain = length.size() == 1 || (length.size() <= 3 && !length.starts_with('0'));
  if (!bits.has_value() || !is_plain) {
    return std::nullopt;
  }
  const bool is_mapped = address.is_v4() && text.contains(':');
  const int own_bits = is_mapped ? *bits - kMappedBits : *bits;
  const bool fits = own_bits >= 0 && own_bits <= bits_of(address);
  return fits ? std::optional(static_cast<std::uint8_t>(own_bits)) : std::nullopt;
}

std::vector<Cidr> blocks_of(std::initializer_list<std::string_view> texts) {
  std::vector<Cidr> blocks;
  for (const std::string_view text : texts) {
    blocks.push_back(Cidr::parse(text).value());
  }
  return blocks;
}

}  // namespace

Result<Cidr, std::string> Cidr::parse(std::string_view text) {
  const std::size_t slash = text.find('/');
  const std::string_view host = text.substr(0, slash);
  const std::optional<IpAddress> address = IpAddress::parse(host);
  if (!address.has_value()) {
    return complain(text, "the address is not a valid IP address.");
  }
  if (slash == std::string_view::npos) {
    return Cidr(*address, bits_of(*address));
  }
  const std::optional<std::uint8_t> bits = prefix_of(*address, host, text.substr(slash + 1));
  if (!bits.has_value()) {
    return complain(text, "the prefix length must be a number from 0 to 32 (IPv6: to 128).");
  }
  if (has_bits_behind(*address, *bits)) {
    return complain(text, "bits are set after the prefix.");
  }
  return Cidr(*address, *bits);
}

bool Cidr::contains(const IpAddress& address) const noexcept {
  const auto first = first_.bytes();
  const auto other = address.bytes();
  // The families have different lengths, and mapped addresses have been converted to IPv4.
  if (first.size() != other.size()) {
    return false;
  }
  for (std::size_t index = 0; index * 8 < prefix_bits_; ++index) {
    if (((first[index] ^ other[index]) & mask_of(index, prefix_bits_)) != 0) {
      return false;
    }
  }
  return true;
}

std::string Cidr::to_text() const {
  return first_.to_text() + "/" + std::to_string(prefix_bits_);
}

Result<TrustedPeers, std::string> TrustedPeers::parse(std::string_view text) {
  TrustedPeers peers;
  while (true) {
    text.remove_prefix(std::min(text.find_first_not_of(kSeparators), text.size()));
    if (text.empty()) {
      return peers;
    }
    const std::string_view one = text.substr(0, text.find_first_of(kSeparators));
    text.remove_prefix(one.size());
    if (one == "unix") {
      peers.trusts_unix_ = true;
      continue;
    }
    auto block = Cidr::parse(one);
    if (!block) {
      return fail(std::move(block.error()));
    }
    peers.blocks_.push_back(*block);
  }
}

PeerEnd PeerEnd::parse(std::string_view text) noexcept {
  PeerEnd peer;
  if (text.starts_with("unix:")) {
    peer.kind_ = Kind::unix_socket;
  } else if (const auto address = IpAddress::parse(text)) {
    peer = *address;
  }
  return peer;
}

bool TrustedPeers::trusts(const PeerEnd& peer) const noexcept {
  if (!peer.address()) {
    return peer.is_unix() && trusts_unix_;
  }
  return std::any_of(blocks_.begin(), blocks_.end(),
                     [&](const Cidr& block) { return block.contains(*peer.address()); });
}

// Only 2000::/3 of IPv6 is assigned. Addresses that contain an IPv4 address may lead anywhere.
bool is_public(const IpAddress& address) noexcept {
  static const std::vector<Cidr> special = blocks_of(
      {"0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12",
       "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15",
       "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4", "2001::/23",
       "2001:db8::/32", "2002::/16", "3fff::/20"});
  static const std::vector<Cidr> given_out = blocks_of({"0.0.0.0/0", "2000::/3"});
  const auto holds = [&](const Cidr& block) { return block.contains(address); };
  return std::ranges::any_of(given_out, holds) && std::ranges::none_of(special, holds);
}

}  // namespace eider
