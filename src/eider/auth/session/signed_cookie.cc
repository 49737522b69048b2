#include "eider/auth/session/signed_cookie.h"

#include <utility>

#include "eider/core/base/base64.h"
#include "eider/core/base/failure.h"
#include "eider/core/json/json.h"

namespace eider::detail::session {

namespace {

constexpr std::string_view kVersion = "1.";
/// Maximum size of a cookie in browsers (RFC 6265, section 6.1).
constexpr std::size_t kValueBytesMax = 4096;

/// Rejects an empty list: with a random key, all sessions would end with the process.
std::vector<std::string> given(std::vector<std::string> keys) {
  if (keys.empty()) {
    throw Failure(Error::internal("sessions: Signed cookies need a key"));
  }
  return keys;
}

}  // namespace

SignedCookie::SignedCookie(std::string_view cookie_name, std::vector<std::string> keys)
    : signer_("sessions", "eider session " + std::string(cookie_name), given(std::move(keys))) {}

std::optional<SignedCookie::Opened> SignedCookie::open(std::string_view value) const {
  const std::string_view text =
      value.size() > kValueBytesMax ? "" : signer_.open(value).value_or("");
  const std::string_view id = id_in_signed_cookie(text);
  if (id.empty()) {
    return std::nullopt;
  }
  const auto record = from_base64(text.substr(kVersion.size() + id.size() + 1));
  auto read = record ? json::read<SessionRecord>(*record) : fail(Error::bad_request(""));
  if (!read) {
    return std::nullopt;  // signed by another program with the same key
  }
  return Opened{std::string(id), std::move(*read)};
}

std::string SignedCookie::seal(std::string_view id, const SessionRecord& record) const {
  std::string text(kVersion);
  text.append(id).append(".").append(to_base64(json::to_text(record)));
  return signer_.sign(text);
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
