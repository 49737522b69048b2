#include "eider/protocols/http/ip_address.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <algorithm>

#include "eider/core/base/digits.h"

namespace eider {

namespace {

constexpr std::array<std::uint8_t, 12> kV4Mapped{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF};

}  // namespace

IpAddress IpAddress::v4(std::span<const std::uint8_t, kV4Bytes> bytes) noexcept {
  IpAddress address;
  std::copy(bytes.begin(), bytes.end(), address.bytes_.begin());
  return address;
}

IpAddress IpAddress::v6(std::span<const std::uint8_t, kV6Bytes> bytes) noexcept {
  // A mapped address becomes IPv4 here, so that rules see only one form.
  if (std::equal(kV4Mapped.begin(), kV4Mapped.end(), bytes.begin())) {
    return v4(bytes.last<kV4Bytes>());
  }
  IpAddress address;
  std::copy(bytes.begin(), bytes.end(), address.bytes_.begin());
  address.size_ = kV6Bytes;
  return address;
}

std::optional<IpAddress> IpAddress::parse(std::string_view text) noexcept {
  std::array<char, INET6_ADDRSTRLEN> terminated{};
  // inet_pton needs a NUL at the end; a NUL in the text would hide the rest.
  if (text.size() >= terminated.size() || text.contains('\0')) {
    return std::nullopt;
  }
  std::copy(text.begin(), text.end(), terminated.begin());
  std::array<std::uint8_t, kV6Bytes> bytes{};
  if (::inet_pton(AF_INET, terminated.data(), bytes.data()) == 1) {
    return v4(std::span(bytes).first<kV4Bytes>());
  }
  if (::inet_pton(AF_INET6, terminated.data(), bytes.data()) == 1) {
    return v6(bytes);
  }
  return std::nullopt;
}

std::string IpAddress::to_text() const {
  if (is_v4()) {
    // inet_ntop uses sprintf, which takes some 1,700 instructions; a proxy and a rate limit by
    // address need the text for each request.
    std::string text;
    for (const std::uint8_t byte : bytes()) {
      text.append(text.empty() ? "" : ".").append(Digits(byte).view());
    }
    return text;
  }
  std::array<char, INET6_ADDRSTRLEN> text{};
  return ::inet_ntop(AF_INET6, bytes_.data(), text.data(), text.size());
}

}  // namespace eider
