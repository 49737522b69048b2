// The measuring service's table of items: HttpArena's profiles async-db and crud.
// Must not be tuned for the arena: it is what the documentation shows.
#pragma once

#include <eider/eider.h>

#include <string>

namespace arena {

/// GET /async-db?min=&max=&limit=, and /crud/items: a list by GET, POST; one of them by GET, PUT.
/// What /crud/items/{id} has read is kept for 200 ms, unless it is changed.
///
/// redis  where it is kept, as a URL; empty: in this process
/// Pre: the app was given a Database
void add_items(eider::App& app, const std::string& redis);

}  // namespace arena
