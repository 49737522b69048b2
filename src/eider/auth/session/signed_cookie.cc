#include "eider/auth/session/signed_cookie.h"

#include <utility>

#include "eider/core/base/base64.h"
#include "eider/core/base/failure.h"
#include "eider/core/base/sha256.h"
#include "eider/core/base/text.h"
#include "eider/core/json/json.h"

namespace eider::detail::session {

namespace {

constexpr std::string_view kVersion = "1.";
constexpr std::size_t kKeyBytesMin = 32;
/// Browsers keep no larger cookie (RFC 6265, section 6.1).
constexpr std::size_t kValueBytesMax = 4096;

}  // namespace

SignedCookie::SignedCookie(std::string cookie_name, std::vector<std::string> keys)
    : cookie_name_(std::move(cookie_name)), keys_(std::move(keys)) {
  if (keys_.empty()) {
    throw Failure(Error::internal("sessions: signed cookies need a key"));
  }
  for (const std::string& key : keys_) {
    if (key.size() < kKeyBytesMin) {
      throw Failure(Error::internal("sessions: a key has 32 bytes or more, not " +
                                    std::to_string(key.size())));
    }
  }
}

std::optional<SignedCookie::Opened> SignedCookie::open(std::string_view value) const {
  const std::size_t last_dot = value.rfind('.');
  if (value.size() > kValueBytesMax || last_dot == std::string_view::npos) {
    return std::nullopt;
  }
  const std::string_view text = value.substr(0, last_dot);
  bool is_signed = false;
  for (const std::string& key : keys_) {
    is_signed |= equals_in_constant_time(value.substr(last_dot + 1), signature(key, text));
  }
  const std::string_view id = id_in_signed_cookie(text);
  if (!is_signed || id.empty()) {
    return std::nullopt;
  }
  const auto record = from_base64(text.substr(kVersion.size() + id.size() + 1));
  auto read = record ? json::read<SessionRecord>(*record) : fail(Error::bad_request(""));
  if (!read) {
    return std::nullopt;  // of a key that another program has, too
  }
  return Opened{std::string(id), std::move(*read)};
}

std::string SignedCookie::seal(std::string_view id, const SessionRecord& record) const {
  std::string text(kVersion);
  text.append(id).append(".").append(to_base64(json::to_text(record)));
  const std::string sealed = signature(keys_.front(), text);
  return text.append(".").append(sealed);
}

std::string SignedCookie::signature(std::string_view key, std::string_view text) const {
  std::string signed_text("eider session\n");
  signed_text.append(cookie_name_).append("\n").append(text);
  return to_base64(to_view(hmac_sha256(key, signed_text)));
}

std::string_view id_in_signed_cookie(std::string_view value) noexcept {
  if (!value.starts_with(kVersion)) {
    return {};
  }
  value.remove_prefix(kVersion.size());
  const std::size_t dot = value.find('.');
  return dot == std::string_view::npos ? std::string_view() : value.substr(0, dot);
}

}  // namespace eider::detail::session
