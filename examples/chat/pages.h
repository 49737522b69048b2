// The two pages and what they load.
// Must not speak with a page once it is there: talk.h does.
#pragma once

#include <eider/app/app.h>

namespace chat {

/// Adds the lobby at / and the rooms at /r/{room}. Pre: the app has a State<Rooms>.
void add_pages(eider::App& app);

}  // namespace chat
