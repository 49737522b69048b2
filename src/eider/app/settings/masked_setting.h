// Masks passwords, keys and tokens in values of plain text options.
// Layering: finds only texts that look like secrets; use Secret for secrets.
#pragma once

#include <string>
#include <string_view>

namespace eider::detail::app {

/// Returns whether the last word of an option's or parameter's name is that of a secret:
/// "webhook_secret", "smtp-password", "api_token", "signing_key".
[[nodiscard]] bool names_secret(std::string_view name) noexcept;

/// Returns `text` with "***" instead of passwords: of the user information of URLs
/// ("postgres://ann:***@db/shop", all of it for http and https), and of parameters whose names are
/// of secrets ("?password=***", "host=db password=***").
///
/// text  of a settings file, so that a quote in a value has a backslash before it
[[nodiscard]] std::string with_passwords_masked(std::string_view text);

}  // namespace eider::detail::app
