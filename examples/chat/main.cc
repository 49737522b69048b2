// A chat with rooms, presence and message history, for browsers on desktops and phones, with plain
// forms for browsers without scripts. The options are those of every Eider application
// (--help). Over HTTPS (--tls-port 8443) pages and sockets share one HTTP/2 connection.
#include <eider/assets.h>
#include <eider/eider.h>
#include <eider/http2.h>
#include <eider/middleware.h>
#include <eider/sessions.h>
#include <eider/text.h>
#include <eider/tls.h>
#include <eider/views.h>

#include "chat.h"
#include "chat_assets.h"
#include "lobby.html.h"
#include "room.html.h"

namespace {

using namespace eider;
using namespace chat;

// Only files of this service; injected text cannot load or run anything.
constexpr const char* kPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'";

struct Wanted {
  Sized<std::string, 0, 200> room;
};

/// A visitor without scripts. The key reserves the name, like Join::key.
struct Visitor {
  std::string name = {};
  std::string key = {};
};

struct Line {
  Name name;
  Text text;
};

/// Returns the URL of the room for the typed name.
std::string address_of(std::string_view typed) {
  const std::string room = room_name_of(typed);
  return room.empty() ? "/" : "/r/" + room;
}

/// Redirects other spellings of a room name to the room.
Result<void> lead_to_room(std::string_view typed) {
  return room_name_of(typed) == typed ? Result<void>()
                                      : fail(Error(303, "The room has another name.")
                                                 .with_header("Location", address_of(typed)));
}

Redirect say(std::string room, Form<Line> line, Session<Visitor> visitor, State<Rooms> rooms,
             State<Topics> topics) {
  visitor->name = line->name->text();
  visitor->key = visitor->key.empty() ? random_token() : visitor->key;
  if (const auto said = rooms->add(room, {line->name, visitor->key, {}}, {line->text, "form"})) {
    topics->publish(topic_of(room), to_json(*said));
  } else {
    visitor.flash("error", said.error().detail());
  }
  return Redirect(address_of(room));
}

void add_pages(App& app) {
  const Assets assets = serve_assets(app, chat_assets());
  const auto loads = [assets](std::string_view script) {
    return Loads{assets.url("style.css"), assets.url("icon.svg"), assets.url(script)};
  };
  app.get("/", [loads = loads("lobby.js")](State<Rooms> rooms, State<Views> views) {
    return views->page(LobbyPage{loads, rooms->busy()});
  });
  app.get("/go", [](Query<Wanted> wanted) { return Redirect(address_of(*wanted->room)); });
  const auto show = [loads = loads("room.js")](std::string room, Session<Visitor> visitor,
                                               const CsrfToken& token, State<Rooms> rooms,
                                               State<Views> views) {
    const auto faults = visitor.take_flashes();
    return views->page(RoomPage{loads, room, rooms->look(room), visitor->name, token.text(),
                                faults.empty() ? "" : faults.back().text});
  };
  app.get("/r/{room}", show).guard(lead_to_room);
  app.post("/r/{room}", say)
      .guard(expect_room_name)
      .use(rate_limit({.requests = 20, .per = std::chrono::minutes(1)}));
  app.get("/rooms", [](State<Rooms> rooms) { return rooms->busy(); });
}

}  // namespace

App make_app() {
  App app;
  add_http2(app);
  add_tls(app);
  add_views(app);
  app.state<Rooms>();
  app.use(security_headers({.csp = kPolicy}));
  // Also without TLS: the cookies only contain a name in a chat.
  add_sessions<Visitor>(app, {.is_secure = false});
  app.use(csrf({.is_secure = false}));
  add_pages(app);
  add_talk(app);
  return app;
}

int main(int argc, char** argv) {
  return run_app("chat", argc, argv, make_app);
}
