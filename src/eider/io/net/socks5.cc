#include "eider/io/net/socks5.h"

#include <array>

#include "eider/protocols/http/ip_address.h"

namespace eider::net {

namespace {

constexpr char kVersion = 5;
constexpr char kPasswordVersion = 1;
constexpr char kNoMethod = 0;
constexpr char kPasswordMethod = 2;
constexpr char kConnect = 1;
constexpr char kIpv4 = 1;
constexpr char kName = 3;
constexpr char kIpv6 = 4;
constexpr std::size_t kTextBytesMax = 255;

constexpr std::size_t kPortBytes = 2;

/// Pre: text.size() <= kTextBytesMax.
void append_text(std::string& out, std::string_view text) {
  out.push_back(static_cast<char>(text.size()));
  out.append(text);
}

/// RFC 1928, section 6.
std::string_view text_of(unsigned char reply) noexcept {
  constexpr std::array<std::string_view, 9> kTexts{
      "",
      "The proxy failed.",
      "The proxy's rules do not allow this connection.",
      "The proxy cannot reach the network.",
      "The proxy cannot reach the host.",
      "The host refused the connection from the proxy.",
      "The connection from the proxy to the host timed out.",
      "The proxy does not support this command.",
      "The proxy does not support this type of address.",
  };
  return reply < kTexts.size() ? kTexts[reply] : "The proxy did not connect.";
}

}  // namespace

std::string socks_greeting(const Proxy& proxy) {
  std::string out{kVersion};
  out.append(proxy.user.empty() ? std::string{1, kNoMethod}
                                : std::string{2, kNoMethod, kPasswordMethod});
  return out;
}

Result<SocksMethod, std::string_view> read_socks_choice(std::string_view in,
                                                        const Proxy& proxy) noexcept {
  // Pre: the caller has collected the required number of bytes.
  if (in[0] != kVersion) {
    return fail("The proxy does not support SOCKS5.");
  }
  if (in[1] == kNoMethod) {
    return SocksMethod::none;
  }
  if (in[1] == kPasswordMethod && !proxy.user.empty()) {
    return SocksMethod::password;
  }
  return fail("The proxy requires an authentication method that is not supported.");
}

std::string socks_password(const Proxy& proxy) {
  std::string out{kPasswordVersion};
  append_text(out, proxy.user);
  append_text(out, proxy.password);
  return out;
}

bool is_socks_accepted(std::string_view in) noexcept {
  return in[0] == kPasswordVersion && in[1] == 0;
}

std::optional<std::string> socks_connect(std::string_view host, std::uint16_t port) {
  std::string out{kVersion, kConnect, 0};
  if (const auto address = IpAddress::parse(host)) {
    out.push_back(address->is_v4() ? kIpv4 : kIpv6);
    for (const std::uint8_t byte : address->bytes()) {
      out.push_back(static_cast<char>(byte));
    }
    // Let the proxy resolve a name: it may know names that this machine does not.
  } else if (host.size() <= kTextBytesMax) {
    out.push_back(kName);
    append_text(out, host);
  } else {
    return std::nullopt;
  }
  out.push_back(static_cast<char>(port >> 8U));
  out.push_back(static_cast<char>(port & 0xFFU));
  return out;
}

Result<std::size_t, std::string_view> read_socks_reply(std::string_view in) noexcept {
  if (in[0] != kVersion) {
    return fail("The proxy does not support SOCKS5.");
  }
  if (in[1] != 0) {
    return fail(text_of(static_cast<unsigned char>(in[1])));
  }
  switch (in[3]) {  // one byte of the address has been read
    case kIpv4:
      return 3 + kPortBytes;
    case kIpv6:
      return 15 + kPortBytes;
    case kName:
      return static_cast<unsigned char>(in[4]) + kPortBytes;
    default:
      return fail("The proxy returned an unknown type of address.");
  }
}

}  // namespace eider::net
