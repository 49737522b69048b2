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

/// The script that requests passkeys, and their store.
struct PasskeyLogins {
  std::string script;
  std::shared_ptr<eider::PasskeyStore> store;
};

/// public_url  of the shop, to which its passkeys belong: "https://shop.example"
/// accounts    outlives the served app
/// languages   for the mail that informs the owner of a new passkey
[[nodiscard]] PasskeyLogins add_passkey_logins(eider::App& app, const eider::Sessions& visits,
                                               const std::string& public_url,
                                               eider::Accounts& accounts,
                                               eider::Languages languages,
                                               std::shared_ptr<eider::PasskeyStore> store);

}  // namespace bookstore
