#include "eider/auth/oauth/pending_login.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "eider/app/handlers/extract.h"
#include "eider/core/base/base64.h"
#include "eider/core/base/failure.h"
#include "eider/core/base/secret_bytes.h"
#include "eider/core/base/text.h"
#include "eider/core/json/json.h"

namespace eider::detail::oauth {

namespace {

constexpr std::size_t kNumberBytes = 32;
constexpr std::size_t kStateBytes = 43;  // 32 bytes in base64url
/// Number of characters of the state in the name of the cookie: each tab has its own cookie.
constexpr std::size_t kNameBytes = 16;
/// Maximum size of all pending logins of one browser, because servers limit the size of headers.
constexpr std::size_t kCookieBytesMax = 6144;
constexpr std::size_t kCookiesMax = 8;

struct OldCookie {
  std::string_view name;
  std::string_view value;
  std::int64_t until;
};

/// Not signed, only for sorting by age: clients that change it only lose their own logins.
std::int64_t until_of(std::string_view value) noexcept {
  return parse_int64(value.substr(0, value.find('.'))).value_or(0);
}

std::vector<OldCookie> cookies_of(const Request& request, std::string_view prefix) {
  std::vector<OldCookie> found;
  for (const Field& field : request.headers()) {
    if (!equals_ignoring_case(field.name, "Cookie")) {
      continue;
    }
    CookieReader reader(field.value);
    while (const auto cookie = reader.next()) {
      // Exactly this size, because other cookies of the application may begin in the same way.
      if (cookie->name.starts_with(prefix) && cookie->name.size() == prefix.size() + kNameBytes) {
        found.push_back({cookie->name, cookie->value, until_of(cookie->value)});
      }
    }
  }
  std::ranges::sort(found, std::ranges::greater(), &OldCookie::until);
  return found;
}

}  // namespace

PendingLogins::PendingLogins(PendingOptions options)
    : options_(std::move(options)),
      signer_("oauth", "eider oauth " + options_.purpose,
              base::keys_of(std::exchange(options_.key, {}))) {
  if (set_cookie(name_of(std::string(kStateBytes, 'a')), "1", 1).empty()) {
    throw Failure(
        Error::internal("oauth: The cookie name is invalid, or needs TLS: " + options_.cookie));
  }
}

LoginSecrets PendingLogins::secrets_of(std::string_view number) const {
  return {.state = signer_.signature(number, "state"),
          .nonce = signer_.signature(number, "nonce"),
          .verifier = signer_.signature(number, "verifier")};
}

std::string PendingLogins::name_of(std::string_view state) const {
  return options_.cookie + "-" + std::string(state.substr(0, kNameBytes));
}

std::string PendingLogins::set_cookie(std::string name, std::string value,
                                      std::int64_t seconds) const {
  // Lax: the provider's redirect comes from another site, and browsers do not send strict cookies
  // with it.
  const auto field = to_header_value({.name = std::move(name),
                                      .value = std::move(value),
                                      .max_age_s = seconds,
                                      .same_site = SameSite::lax,
                                      .secure = options_.is_secure});
  return field.value_or("");
}

std::string PendingLogins::seal(std::string_view name, const PendingLogin& login) const {
  return signer_.sign(std::to_string(login.until) + "." + to_base64url(json::to_text(login)),
                      "cookie " + std::string(name));
}

std::optional<PendingLogin> PendingLogins::open(std::string_view name,
                                                std::string_view value) const {
  const auto opened = signer_.open(value, "cookie " + std::string(name));
  const std::size_t dot = opened.value_or("").find('.');
  if (dot == std::string_view::npos) {
    return std::nullopt;
  }
  const auto text = from_base64url(opened->substr(dot + 1));
  auto login = text ? json::read<PendingLogin>(*text) : fail(Error::bad_request(""));
  return login ? std::optional(std::move(*login)) : std::nullopt;
}

std::string PendingLogins::digest_of(std::string_view user) const {
  return user.empty() ? std::string() : signer_.signature(user, "user");
}

PendingLogins::Begun PendingLogins::begin(const Request& request, PendingLogin login,
                                          std::int64_t now) const {
  login.number = to_base64url(secret_bytes(kNumberBytes));
  login.until = now + options_.seconds;
  Begun begun{.secrets = secrets_of(login.number), .cookies = {}};
  std::string name = name_of(begun.secrets.state);
  std::string value = seal(name, login);
  // Limited, because pages of other sites can start any number of logins here.
  std::size_t bytes = value.size();
  std::size_t count = 1;
  for (const OldCookie& old : cookies_of(request, options_.cookie + "-")) {
    bytes += old.value.size();
    ++count;
    if (bytes > kCookieBytesMax || count > kCookiesMax || old.until <= now) {
      begun.cookies.push_back(set_cookie(std::string(old.name), "", 0));
    }
  }
  begun.cookies.push_back(set_cookie(std::move(name), std::move(value), options_.seconds));
  return begun;
}

std::optional<PendingLogins::Found> PendingLogins::find(const Request& request,
                                                        std::string_view state,
                                                        std::int64_t now) const {
  if (state.size() != kStateBytes) {
    return std::nullopt;
  }
  const std::string name = name_of(state);
  const auto value = app::find_cookie(request, name);
  auto login = value ? open(name, *value) : std::nullopt;
  if (!login || login->until <= now) {
    return std::nullopt;
  }
  LoginSecrets secrets = secrets_of(login->number);
  if (!equals_in_constant_time(state, secrets.state)) {
    return std::nullopt;
  }
  return Found{.login = std::move(*login), .secrets = std::move(secrets)};
}

std::optional<std::string> PendingLogins::end(const Request& request,
                                              std::string_view state) const {
  if (state.size() != kStateBytes) {
    return std::nullopt;
  }
  std::string name = name_of(state);
  if (!app::find_cookie(request, name)) {
    return std::nullopt;
  }
  return set_cookie(std::move(name), "", 0);
}

}  // namespace eider::detail::oauth
