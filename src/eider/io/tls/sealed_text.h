// Encrypts texts that clients or databases keep, with keys of the application.
// Layering: must not know requests or time; a sealed text that expires contains its end.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace eider::detail::tls {

/// AES-256-GCM with a key per text, which HMAC-SHA-256 derives from a random salt, so that no pair
/// of key and nonce repeats. A sealed text is salt, encrypted text and tag, in base64url. It can
/// neither be read nor changed without the keys.
class SealedText {
 public:
  /// owner    the start of the text of a Failure
  /// purpose  a text for one purpose does not open for another with the same keys
  /// keys     at least 32 bytes each; the first seals, all open. Empty: a random one
  ///
  /// Throws a Failure for a shorter key.
  SealedText(std::string_view owner, std::string purpose, std::vector<std::string> keys);

  [[nodiscard]] std::string seal(std::string_view plain) const;
  /// Returns nothing if none of the keys has sealed the text, or if it exceeds 16 KiB.
  [[nodiscard]] std::optional<std::string> open(std::string_view text) const;

 private:
  [[nodiscard]] std::string key_of(std::string_view key, std::string_view salt) const;

  std::string purpose_;
  std::vector<std::string> keys_;
};

}  // namespace eider::detail::tls
