// Password hashes (Argon2).
// Component: passwords. Guide: docs/howto/passwords.md.
#pragma once

#include "eider/auth/passwords/passwords.h"
