#include "eider/auth/accounts/totp.h"

#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <algorithm>
#include <array>
#include <cstddef>

#include "eider/core/base/base32.h"
#include "eider/core/base/failure.h"
#include "eider/core/base/url.h"

namespace eider {

namespace {

constexpr std::size_t kSha1Bytes = 20;
constexpr unsigned kDigitsMax = 9;

std::array<unsigned char, kSha1Bytes> hmac_sha1(std::string_view key, std::uint64_t counter) {
  std::array<unsigned char, sizeof counter> message{};
  for (std::size_t index = 0; index < message.size(); ++index) {
    message.at(message.size() - 1 - index) = static_cast<unsigned char>(counter >> (8 * index));
  }
  std::array<unsigned char, kSha1Bytes> tag{};
  unsigned size = 0;
  const unsigned char* made = HMAC(EVP_sha1(), key.data(), static_cast<int>(key.size()),
                                   message.data(), message.size(), tag.data(), &size);
  if (made == nullptr || size != tag.size()) {
    throw Failure(Error::internal("totp: OpenSSL cannot compute HMAC-SHA-1"));
  }
  return tag;
}

/// Replaces colons, because a colon separates issuer and account.
std::string label_part(std::string_view text) {
  std::string part(text);
  std::ranges::replace(part, ':', ' ');
  return percent_encode(part);
}

}  // namespace

std::string hotp_code(std::string_view secret, std::uint64_t counter, unsigned digits) {
  const auto tag = hmac_sha1(secret, counter);
  const std::size_t offset = tag.back() & 15U;
  std::uint32_t number = 0;
  for (std::size_t index = 0; index < 4; ++index) {
    number = (number << 8U) | tag.at(offset + index);
  }
  number &= 0x7FFFFFFFU;
  std::string code(std::min(digits, kDigitsMax), '0');
  for (std::size_t index = code.size(); index > 0; --index) {
    code[index - 1] = static_cast<char>('0' + number % 10);
    number /= 10;
  }
  return code;
}

std::string totp_code(std::string_view secret, std::int64_t time, unsigned digits) {
  return hotp_code(
      secret, static_cast<std::uint64_t>(std::max<std::int64_t>(time, 0) / kTotpPeriod), digits);
}

std::string otpauth_uri(std::string_view issuer, std::string_view account,
                        std::string_view secret) {
  const std::string name = label_part(issuer);
  return "otpauth://totp/" + name + ":" + label_part(account) + "?secret=" + to_base32(secret) +
         "&issuer=" + name + "&algorithm=SHA1&digits=" + std::to_string(kTotpDigits) +
         "&period=" + std::to_string(kTotpPeriod);
}

}  // namespace eider
