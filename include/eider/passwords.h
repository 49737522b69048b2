// Password hashes (Argon2).
// Component: passwords. Guide: docs/guides/users/passwords.md.
#pragma once

#include "eider/auth/passwords/passwords.h"
