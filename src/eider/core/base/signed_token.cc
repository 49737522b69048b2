#include "eider/core/base/signed_token.h"

#include "eider/core/base/base64.h"
#include "eider/core/base/failure.h"
#include "eider/core/base/secret_bytes.h"
#include "eider/core/base/sha256.h"
#include "eider/core/base/startup_code.h"
#include "eider/core/base/text.h"

namespace eider::detail::base {

namespace {

constexpr std::size_t kKeyBytesMin = 32;

}  // namespace

std::vector<std::string> keys_of(std::string key) {
  std::vector<std::string> keys;
  if (!key.empty()) {
    keys.push_back(std::move(key));
  }
  return keys;
}

std::vector<std::string> checked_keys(std::string_view owner, std::vector<std::string> keys) {
  if (keys.empty()) {
    keys.push_back(secret_bytes(kKeyBytesMin));
  }
  for (const std::string& key : keys) {
    if (key.size() < kKeyBytesMin) {
      throw Failure(Error::internal(detail::base::with_code(
          "key-too-short", std::string(owner) + ": a key must have at least 32 bytes, not " +
                               std::to_string(key.size()))));
    }
  }
  return keys;
}

std::string TokenSigner::sign(std::string_view text, std::string_view context) const {
  return std::string(text).append(".").append(signature(text, context));
}

std::optional<std::string_view> TokenSigner::open(std::string_view token,
                                                  std::string_view context) const {
  const std::size_t dot = token.rfind('.');
  if (dot == std::string_view::npos) {
    return std::nullopt;
  }
  const std::string_view text = token.substr(0, dot);
  bool is_signed = false;
  for (const std::string& key : keys_) {
    is_signed |= equals_in_constant_time(token.substr(dot + 1), signature(key, text, context));
  }
  return is_signed ? std::optional(text) : std::nullopt;
}

// The context is preceded by its size, so that its end is unambiguous for any bytes.
std::string TokenSigner::signature(std::string_view key, std::string_view text,
                                   std::string_view context) const {
  std::string signed_text(purpose_);
  signed_text.append("\n").append(std::to_string(context.size())).append("\n");
  signed_text.append(context).append(text);
  return to_base64url(to_view(hmac_sha256(key, signed_text)));
}

UsedTokens::Use UsedTokens::use(const std::string& token, const std::string& owner,
                                std::int64_t until, std::int64_t now) {
  const std::lock_guard lock(mutex_);
  while (!by_end_.empty() && by_end_.begin()->first < now) {
    erase(used_.find(by_end_.begin()->second));
  }
  if (used_.contains(token)) {
    return Use::again;
  }
  if (used_.size() >= count_max_) {
    return Use::too_many;
  }
  if (const auto found = of_owner_.find(owner);
      found != of_owner_.end() && found->second >= of_owner_max_) {
    return Use::too_many_of_owner;
  }
  used_.emplace(token, Used{.until = until, .owner = owner});
  ++of_owner_[owner];
  by_end_.emplace(until, token);
  return Use::first;
}

void UsedTokens::forget(const std::string& token) {
  const std::lock_guard lock(mutex_);
  if (const auto found = used_.find(token); found != used_.end()) {
    erase(found);
  }
}

void UsedTokens::erase(std::map<std::string, Used>::iterator used) {
  if (const auto owner = of_owner_.find(used->second.owner); --owner->second == 0) {
    of_owner_.erase(owner);
  }
  by_end_.erase({used->second.until, used->first});
  used_.erase(used);
}

}  // namespace eider::detail::base
