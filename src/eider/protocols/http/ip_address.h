// An IPv4 or IPv6 address, without a port.
// Layering: must not know sockets (runtime/address.h does) or names.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace eider {

/// An IPv6 address that contains an IPv4 address ("::ffff:10.0.0.1", RFC 4291, section 2.5.5.2) is
/// treated as IPv4, so that rules apply regardless of the type of socket.
class IpAddress {
 public:
  static constexpr std::size_t kV4Bytes = 4;
  static constexpr std::size_t kV6Bytes = 16;

  /// Creates 0.0.0.0.
  constexpr IpAddress() noexcept = default;

  /// Parses "10.0.0.1" or "2001:db8::1": no brackets, port, zone, or leading zeros in IPv4.
  [[nodiscard]] static std::optional<IpAddress> parse(std::string_view text) noexcept;
  /// Creates an address from bytes in network order.
  [[nodiscard]] static IpAddress v4(std::span<const std::uint8_t, kV4Bytes> bytes) noexcept;
  [[nodiscard]] static IpAddress v6(std::span<const std::uint8_t, kV6Bytes> bytes) noexcept;

  [[nodiscard]] bool is_v4() const noexcept { return size_ == kV4Bytes; }
  /// Returns 4 or 16 bytes in network order.
  [[nodiscard]] std::span<const std::uint8_t> bytes() const noexcept {
    return {bytes_.data(), size_};
  }
  /// Returns "10.0.0.1", or IPv6 in its shortest form (RFC 5952).
  [[nodiscard]] std::string to_text() const;

  friend bool operator==(const IpAddress&, const IpAddress&) noexcept = default;

 private:
  std::array<std::uint8_t, kV6Bytes> bytes_{};  // zeros after the address
  std::uint8_t size_ = kV4Bytes;
};

}  // namespace eider
