// The measuring service's part of HttpArena's profiles that needs no database.
// Must not be tuned for the arena: it is what the documentation shows.
#pragma once

#include <eider/eider.h>

#include <string>

namespace arena {

/// GET /json/{count}?m=  the first items, priced; compressed for who takes that
/// GET /static/{name}    a file of the folder's `static`
///
/// folder  which has dataset.json and static/
void add_profiles(eider::App& app, const std::string& folder);

}  // namespace arena
