// Logins with an OpenID provider, if the settings name one.
// Layering: must not validate tokens; the library does.
#pragma once

#include <eider/database.h>
#include <eider/eider.h>

#include <optional>
#include <string>
#include <utility>

#include "settings.h"

namespace bookstore {

/// The provider on the login page; registered as a state. Empty: none.
struct OpenIdOffer {
  std::string name;
};

/// Accounts by their identities at the provider. A state.
class OpenIdLinks {
 public:
  explicit OpenIdLinks(eider::Database database) : database_(std::move(database)) {}

  /// identity  issuer and subject, which providers never reuse for another person
  [[nodiscard]] eider::Task<std::optional<std::string>> account_of(std::string identity) const;
  [[nodiscard]] eider::Task<> add(std::string identity, std::string account) const;

 private:
  eider::Database database_;
};

/// Adds /login/openid and /login/openid/callback, and an OpenIdOffer. A new identity is linked to
/// the account with its address only if the provider has verified the address. This is the only way
/// to link an identity to an existing account.
void add_openid_logins(eider::App& app, const Settings& settings, eider::Database database);

}  // namespace bookstore
