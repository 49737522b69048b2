// Access to a dashboard without a guard: a secret link for users of this machine.
// Layering: must not be the only protection of a public server; a warning is logged there.
#pragma once

#include "eider/app/app.h"

namespace eider::detail::dashboard {

/// Where the token is given, so that workers, an upgraded program and a program that `eider dev`
/// starts again have the same one.
inline constexpr const char* kTokenVariable = "EIDER_DASHBOARD_TOKEN";

/// Lets in requests from this machine that know the token of the environment variable
/// EIDER_DASHBOARD_TOKEN, or one that is made here and put there: as a cookie, which the link in
/// the log sets, or as a bearer token. All others get a 403.
///
/// At startup the log gets the link, and a warning if the server can be reached from elsewhere.
///
/// Throws a Failure if the variable has fewer than 16 characters, or one that is not base64url.
void guard_by_token(App& app, Routes& pages);

}  // namespace eider::detail::dashboard
