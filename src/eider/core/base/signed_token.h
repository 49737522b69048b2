// Signed tokens that clients keep and send back, for one purpose and optionally for one use.
// Layering: must not hide the text of a token, nor know requests or time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace eider::detail::base {

/// Returns a list with the key, or an empty list if the key is empty.
[[nodiscard]] std::vector<std::string> keys_of(std::string key);

/// Returns `keys`, or one random key if there are none. Throws a Failure if a key has less than 32
/// bytes.
///
/// owner  the start of the error message
[[nodiscard]] std::vector<std::string> checked_keys(std::string_view owner,
                                                    std::vector<std::string> keys);

/// Signs with HMAC-SHA-256. The first key signs; tokens of all keys are accepted.
class TokenSigner {
 public:
  /// purpose  a token for one purpose is not accepted for another one with the same key
  ///
  /// For owner and keys see checked_keys.
  TokenSigner(std::string_view owner, std::string purpose, std::vector<std::string> keys)
      : purpose_(std::move(purpose)), keys_(checked_keys(owner, std::move(keys))) {}

  /// Returns "text.signature", with the signature in base64url.
  ///
  /// context  is signed too, but is not in the token, for example the session of a form
  [[nodiscard]] std::string sign(std::string_view text, std::string_view context = {}) const;
  /// Returns the text of a token, as a view of it, or nothing if no key signed it in that context.
  [[nodiscard]] std::optional<std::string_view> open(std::string_view token,
                                                     std::string_view context = {}) const;
  /// Returns only the signature, in base64url: for secrets that are derived from a text.
  [[nodiscard]] std::string signature(std::string_view text, std::string_view context) const {
    return signature(keys_.front(), text, context);
  }

 private:
  [[nodiscard]] std::string signature(std::string_view key, std::string_view text,
                                      std::string_view context) const;

  std::string purpose_;
  std::vector<std::string> keys_;
};

/// The used tokens of one process, until they expire: each is accepted once. Thread-safe.
class UsedTokens {
 public:
  /// count_max     the limit of all tokens. At the limit, new tokens are rejected: if an old one
  ///               were dropped instead, it could be used again
  /// of_owner_max  the limit of tokens with the same owner
  explicit UsedTokens(std::size_t count_max, std::size_t of_owner_max = SIZE_MAX)
      : count_max_(count_max), of_owner_max_(of_owner_max) {}

  enum class Use : std::uint8_t { first, again, too_many, too_many_of_owner };

  /// Uses a token that expires after `until`. Both times are in seconds on the same clock.
  [[nodiscard]] Use use(const std::string& token, const std::string& owner, std::int64_t until,
                        std::int64_t now);
  /// Allows the token to be used again.
  void forget(const std::string& token);

 private:
  struct Used {
    std::int64_t until;
    std::string owner;
  };
  void erase(std::map<std::string, Used>::iterator used);

  const std::size_t count_max_;
  const std::size_t of_owner_max_;
  std::mutex mutex_;
  std::map<std::string, Used> used_;
  std::map<std::string, std::size_t> of_owner_;
  std::set<std::pair<std::int64_t, std::string>> by_end_;
};

}  // namespace eider::detail::base
