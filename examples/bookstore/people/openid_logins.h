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

/// What the login page offers; a state. Empty: nothing.
struct OpenIdOffer {
  std::string name;
};

/// Who of a provider is which account. A state.
class OpenIdLinks {
 public:
  explicit OpenIdLinks(eider::Database database) : database_(std::move(database)) {}

  /// identity  issuer and subject, which no provider gives to another person
  [[nodiscard]] eider::Task<std::optional<std::string>> account_of(std::string identity) const;
  [[nodiscard]] eider::Task<> add(std::string identity, std::string account) const;

 private:
  eider::Database database_;
};

/// /login/openid and /login/openid/callback, and an OpenIdOffer. An identity that is new here is
/// given to the account of its address, where the provider has verified that; no other way leads to
/// an account that somebody has.
void add_openid_logins(eider::App& app, const Settings& settings, eider::Database database);

}  // namespace bookstore
