// Logins with passkeys, in addition to passwords.
// Layering: must not create accounts; users add passkeys after a login.
#pragma once

#include <eider/accounts.h>
#include <eider/eider.h>
#include <eider/languages.h>
#include <eider/passkeys.h>
#include <eider/sessions.h>

#include <memory>
#include <string>

namespace bookstore {

/// The script that asks for them, and where they are kept.
struct PasskeyLogins {
  std::string script;
  std::shared_ptr<eider::PasskeyStore> store;
};

/// public_url  whose passkeys they are: "https://shop.example"
/// accounts    outlives what is served
/// languages   of the letter that tells an owner of a new one
[[nodiscard]] PasskeyLogins add_passkey_logins(eider::App& app, const eider::Sessions& visits,
                                               const std::string& public_url,
                                               eider::Accounts& accounts,
                                               eider::Languages languages,
                                               std::shared_ptr<eider::PasskeyStore> store);

}  // namespace bookstore
