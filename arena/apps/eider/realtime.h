// The measuring service's WebSockets and event streams.
// Must not be tuned for the arena: they are what the documentation shows.
#pragma once

namespace eider {
class App;
}

/// GET /ws              WebSocket: every message comes back
/// GET /ws/room/{name}  WebSocket: every message goes to all sockets of the room
/// GET /events?n=       n events, their data 0, 1, 2 …, then the end
void add_realtime(eider::App& app);
