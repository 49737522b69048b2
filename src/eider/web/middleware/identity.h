// The identity of the caller, as the guards in auth.h provide it.
// Layering: must not know how the caller was authenticated.
#pragma once

#include <string>
#include <vector>

#include "eider/app/handlers/extract.h"

namespace eider {

/// The authenticated caller: a parameter of handlers after an authentication guard, built in or
/// your own:
///
///     app.get("/me", [](const Identity& caller) { return caller.name; });
///
/// name    name for logs
/// scopes  permissions, defined by the application: see require_scope
struct Identity {
  std::string name;
  std::vector<std::string> scopes = {};
};

template <>
struct Extract<Identity> : ExtractExtension<Identity> {
  static constexpr bool kOwnsData = true;
};

}  // namespace eider
