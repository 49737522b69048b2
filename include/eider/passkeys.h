// Login with passkeys (WebAuthn).
// Component: passkeys. Guide: docs/guides/users/passkeys.md.
#pragma once

#include "eider/auth/passkeys/passkey.h"
#include "eider/auth/passkeys/passkey_routes.h"
#include "eider/auth/passkeys/passkey_store.h"
#include "eider/auth/passkeys/passkeys.h"
