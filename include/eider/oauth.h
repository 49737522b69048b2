// Login with other providers (OAuth 2.0, OpenID Connect).
// Component: oauth. Guide: docs/guides/users/openid-connect.md.
#pragma once

#include "eider/auth/oauth/oauth.h"
