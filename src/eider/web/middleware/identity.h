// Who asks, as handlers are told by the guards beside: auth.h.
// Must not say how that was found out.
#pragma once

#include <string>
#include <vector>

#include "eider/app/handlers/extract.h"

namespace eider {

/// A parameter of handlers behind a guard that knows who asks, or one of one's own that returns it:
///
///     app.get("/me", [](const Identity& caller) { return caller.name; });
///
/// name    as logs tell it
/// scopes  what it may do, in the application's words: see needs_scope
struct Identity {
  std::string name;
  std::vector<std::string> scopes = {};
};

template <>
struct Extract<Identity> : ExtractSlot<Identity> {
  static constexpr bool kOwns = true;
};

}  // namespace eider
