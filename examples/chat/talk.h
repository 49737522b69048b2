// A page's side of the talk in one room: /ws/{room}.
// Must not keep messages or people: rooms.h does.
#pragma once

#include <eider/app/app.h>

namespace chat {

/// Adds the WebSocket. Pre: the app has a State<Rooms>.
void add_talk(eider::App& app);

}  // namespace chat
