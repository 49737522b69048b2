// User accounts: sign-up, login, password reset, e-mail confirmation.
// Component: accounts. Guide: docs/guides/users/accounts.md.
#pragma once

#include "eider/auth/accounts/account_mail.h"
#include "eider/auth/accounts/accounts.h"
#include "eider/auth/accounts/totp.h"
#include "eider/auth/accounts/two_factor.h"
