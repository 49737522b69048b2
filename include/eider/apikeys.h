// API keys of users.
// Component: core. Guide: docs/guides/users/api-keys.md.
#pragma once

#include "eider/auth/apikeys/apikeys.h"
#include "eider/auth/apikeys/apikeys_page.h"
