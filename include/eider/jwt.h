// JSON Web Tokens: guards, keys, claims.
// Component: jwt. Guide: docs/guides/users/jwt.md.
#pragma once

#include "eider/auth/jwt/jwks.h"
#include "eider/auth/jwt/jwt.h"
#include "eider/auth/jwt/jwt_auth.h"
#include "eider/auth/jwt/jwt_key.h"
