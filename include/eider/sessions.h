// Sessions and the current user.
// Component: core. Guide: docs/guides/users/sessions.md.
#pragma once

#include "eider/auth/session/session.h"
#include "eider/auth/session/session_store.h"
#include "eider/auth/session/users.h"
