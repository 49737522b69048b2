// The parts of the adapter that are in files of their own.
// Layering: must not include more of aeronet than its router.
#pragma once

#include <aeronet/router.hpp>
#include <string>

namespace arena {

/// Adds GET /json/{count} with the items of the directory's dataset.
void add_items(aeronet::Router& router, const std::string& directory);

/// Adds POST /unchecked.
void add_orders(aeronet::Router& router);

/// Adds the WebSocket at /ws, and GET /events.
void add_realtime(aeronet::Router& router);

}  // namespace arena
