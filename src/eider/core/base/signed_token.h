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

/// A list of one key, or of no key if it is empty.
[[nodiscard]] std::vector<std::string> keys_of(std::string key);

/// The keys of signatures, of 32 bytes or more each; a random one if there are no keys. Throws a
/// Failure for a shorter one.
///
/// owner  begins the text of the Failure
[[nodiscard]] std::vector<std::string> checked_keys(std::string_view owner,
                                                    std::vector<std::string> keys);

/// Signs by HMAC-SHA-256. The first key signs, and all are accepted.
class TokenSigner {
 public:
  /// purpose  a token for one purpose is not accepted for another one with the same key
  /// owner and keys as in checked_keys
  TokenSigner(std::string_view owner, std::string purpose, std::vector<std::string> keys)
      : purpose_(std::move(purpose)), keys_(checked_keys(owner, std::move(keys))) {}

  /// "text.signature", the signature in base64url.
  ///
  /// context  is signed too but is not in the token, for example the session of a form
  [[nodiscard]] std::string sign(std::string_view text, std::string_view context = {}) const;
  /// The text of a token, which views it; nothing if no key has signed it in that context.
  [[nodiscard]] std::optional<std::string_view> open(std::string_view token,
                                                     std::string_view context = {}) const;
  /// A signature alone, in base64url: for secrets that are derived from a text.
  [[nodiscard]] std::string signature(std::string_view text, std::string_view context) const {
    return signature(keys_.front(), text, context);
  }

 private:
  [[nodiscard]] std::string signature(std::string_view key, std::string_view text,
                                      std::string_view context) const;

  std::string purpose_;
  std::vector<std::string> keys_;
};

/// The tokens of one process that were used, until they end: each is accepted once. For any thread.
class UsedTokens {
 public:
  /// count_max     of all: further ones are not accepted, as an older one could come back otherwise
  /// of_owner_max  of those with the same owner
  explicit UsedTokens(std::size_t count_max, std::size_t of_owner_max = SIZE_MAX)
      : count_max_(count_max), of_owner_max_(of_owner_max) {}

  enum class Use : std::uint8_t { first, again, too_many, too_many_of_owner };

  /// Uses a token that ends after `until`, in seconds as `now` is.
  ///
  [[nodiscard]] Use use(const std::string& token, const std::string& owner, std::int64_t until,
                        std::int64_t now);
  /// The token may be used again.
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
