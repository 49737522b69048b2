// Declarations shared by the parts of the chat: the data of pages, and the WebSocket.
// Layering: must not know the layout; pages/*.html do.
#pragma once

#include <eider/eider.h>

#include <string>
#include <vector>

#include "rooms.h"

namespace chat {

/// URLs of the files that all pages load.
struct Loads {
  std::string style;
  std::string icon;
  std::string script;
};

struct LobbyPage {
  Loads loads;
  std::vector<BusyRoom> rooms;
};

/// The page without the script's parts, for browsers without scripts.
///
/// token  CSRF token
/// error  reason why the last message was rejected; empty: it was accepted
struct RoomPage {
  Loads loads;
  std::string room;
  Welcome now;
  std::string name;
  std::string token;
  std::string error;
};

/// Adds /ws/{room}. Pre: the app has a State<Rooms>.
void add_talk(eider::App& app);

}  // namespace chat
