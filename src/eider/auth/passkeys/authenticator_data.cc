#include "eider/auth/passkeys/authenticator_data.h"

#include <algorithm>
#include <array>

#include "eider/auth/passkeys/cbor.h"
#include "eider/core/base/sha256.h"
#include "eider/core/kinds/uuid.h"

namespace eider::detail::passkeys {

namespace {

constexpr std::uint8_t kHasCredential = 0x40;
constexpr std::uint8_t kHasExtensions = 0x80;
constexpr std::size_t kAaguidBytes = 16;

std::unexpected<PasskeyError> malformed(const char* text) {
  return fail(PasskeyError{PasskeyFault::malformed, text});
}

/// Reads bytes from the front.
class Front {
 public:
  explicit Front(std::string_view bytes) noexcept : rest_(bytes) {}

  [[nodiscard]] std::optional<std::string_view> take(std::size_t bytes) noexcept {
    if (rest_.size() < bytes) {
      return std::nullopt;
    }
    const std::string_view taken = rest_.substr(0, bytes);
    rest_.remove_prefix(bytes);
    return taken;
  }
  /// Reads a big-endian number of at most 4 bytes.
  [[nodiscard]] std::optional<std::uint32_t> number(std::size_t bytes) noexcept {
    const auto taken = take(bytes);
    std::uint32_t value = 0;
    for (const char one : taken.value_or("")) {
      value = value << 8U | static_cast<unsigned char>(one);
    }
    return taken ? std::optional(value) : std::nullopt;
  }
  /// Reads one CBOR item, which must be a map.
  [[nodiscard]] std::optional<std::string_view> map() noexcept {
    CborReader reader(rest_);
    if (reader.peek() != CborReader::Kind::map || !reader.skip()) {
      return std::nullopt;
    }
    return take(rest_.size() - reader.rest().size());
  }
  [[nodiscard]] bool is_at_end() const noexcept { return rest_.empty(); }

 private:
  std::string_view rest_;
};

std::optional<AttestedCredential> read_credential(Front& front) {
  const auto aaguid = front.take(kAaguidBytes);
  const auto size = aaguid ? front.number(2) : std::nullopt;
  if (!size || *size == 0 || *size > kCredentialIdBytesMax) {
    return std::nullopt;
  }
  const auto id = front.take(*size);
  const auto key = id ? front.map() : std::nullopt;
  return key ? std::optional(AttestedCredential{*aaguid, *id, *key}) : std::nullopt;
}

}  // namespace

Result<AuthenticatorData, PasskeyError> parse_authenticator_data(std::string_view bytes) {
  Front front(bytes);
  const auto hash = front.take(kSha256Bytes);
  const auto flags = hash ? front.number(1) : std::nullopt;
  const auto counter = flags ? front.number(4) : std::nullopt;
  if (!counter) {
    return malformed("its authenticator data is incomplete");
  }
  AuthenticatorData data{
      .relying_party_hash = *hash, .flags = static_cast<std::uint8_t>(*flags), .counter = *counter};
  if ((data.flags & kHasCredential) != 0) {
    data.credential = read_credential(front);
    if (!data.credential) {
      return malformed("its authenticator data contains no readable credential");
    }
  }
  if ((data.flags & kHasExtensions) != 0 && !front.map()) {
    return malformed("its authenticator data contains unreadable extensions");
  }
  if (!front.is_at_end()) {
    return malformed("its authenticator data has data after its end");
  }
  return data;
}

std::string aaguid_text(std::string_view bytes) {
  std::array<std::uint8_t, kAaguidBytes> octets{};
  std::ranges::copy(bytes, octets.begin());
  return std::string(Uuid(octets).text());
}

}  // namespace eider::detail::passkeys
