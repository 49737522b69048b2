#include "eider/app/settings/masked_setting.h"

#include <algorithm>
#include <array>

#include "eider/core/base/text.h"

namespace eider::detail::app {

namespace {

constexpr std::string_view kMask = "***";
constexpr std::string_view kSchemeEnd = "://";

bool is_name_part(char c) noexcept {
  return is_digit(c) || (to_lower(c) >= 'a' && to_lower(c) <= 'z') || c == '_' || c == '-';
}

/// Returns the size of the value at the front of `text`: up to the first of `ends` without a
/// backslash.
std::size_t value_size(std::string_view text, std::string_view ends) noexcept {
  std::size_t at = 0;
  while (at < text.size() && !ends.contains(text[at])) {
    at += text[at] == '\\' ? 2 : 1;
  }
  return std::min(at, text.size());
}

/// Returns the part of a URL's user information that is shown; `scheme` is the text before "://".
std::string_view kept_user(std::string_view user, std::string_view scheme) noexcept {
  const std::size_t colon = user.find(':');
  if (scheme.ends_with("http") || scheme.ends_with("https")) {
    return {};
  }
  return user.substr(0, colon == user.npos ? user.size() : colon + 1);
}

/// Moves the user information at the front of `rest`, if there is any, to `out`, masked.
void mask_user(std::string& out, std::string_view& rest) {
  const std::string_view authority = rest.substr(0, value_size(rest, "/?#\" '"));
  const std::size_t at = authority.rfind('@');
  if (at == authority.npos) {
    return;
  }
  const std::string_view user = authority.substr(0, at);
  const std::string_view scheme = std::string_view(out).substr(0, out.size() - kSchemeEnd.size());
  const std::string_view kept = kept_user(user, scheme);
  out.append(kept).append(kept.size() == user.size() ? "" : kMask);
  rest.remove_prefix(at);
}

/// The same for the value of a parameter whose name is at the end of `out`, before "=".
void mask_value(std::string& out, std::string_view& rest) {
  const auto name = std::find_if_not(out.rbegin() + 1, out.rend(), is_name_part).base();
  if (!names_secret(std::string_view(name, out.end() - 1))) {
    return;
  }
  const bool is_quoted = rest.starts_with('\'');
  const std::size_t size =
      is_quoted ? 1 + value_size(rest.substr(1), "'\"") : value_size(rest, "& \t\"'");
  out.append(size == 0 ? "" : kMask);
  rest.remove_prefix(size + (is_quoted && rest.substr(size).starts_with('\'') ? 1 : 0));
}

}  // namespace

bool names_secret(std::string_view name) noexcept {
  constexpr std::array<std::string_view, 9> kWords = {
      "secret", "secrets", "password", "passwd", "pwd", "passphrase", "token", "tokens", "key"};
  return std::ranges::any_of(kWords, [name](std::string_view word) {
    if (name.size() < word.size() ||
        !equals_ignoring_case(name.substr(name.size() - word.size()), word)) {
      return false;
    }
    const std::string_view before = name.substr(0, name.size() - word.size());
    // "monkey" is not a key, but "sslpassword" is a password.
    return word != "key" || before.empty() || !is_name_part(before.back()) ||
           before.ends_with('_') || before.ends_with('-');
  });
}

std::string with_passwords_masked(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    out.push_back(text.front());
    text.remove_prefix(1);
    if (out.ends_with(kSchemeEnd)) {
      mask_user(out, text);
    } else if (out.back() == '=') {
      mask_value(out, text);
    }
  }
  return out;
}

}  // namespace eider::detail::app
