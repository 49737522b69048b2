// Accounts and logins as JSON.
// Layering: must not know pages.
#pragma once

#include <eider/eider.h>

namespace bookstore {

/// Adds routes below /api: users, session, me.
///
/// few  limits the number of attempts
void add_account_api(eider::Routes& api, const eider::ClientHook& few);

}  // namespace bookstore
