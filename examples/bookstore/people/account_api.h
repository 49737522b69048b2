// Accounts and logins as JSON.
// Layering: must not know pages.
#pragma once

#include <eider/eider.h>

namespace bookstore {

/// Below /api: users, session, me.
///
/// few  what keeps people from trying too often
void add_account_api(eider::Routes& api, const eider::ClientHook& few);

}  // namespace bookstore
