// HttpArena's profile json on lithium.
// Must not keep what was answered.
#pragma once

#include <lithium_http_server.hh>

namespace arena {

/// Registers /json/{count} where PROFILES_DIR in the environment says where dataset.json is.
void add_profiles(li::http_api& api);

}  // namespace arena
