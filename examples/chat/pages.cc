#include "pages.h"

#include <eider/eider.h>

#include <string>
#include <string_view>
#include <vector>

#include "assets.h"
#include "room_name.h"
#include "rooms.h"

namespace chat {

using namespace eider;

namespace {

// Nothing but our own files, and nothing on the page that text could become a part of.
constexpr std::string_view kPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'";

struct Wanted {
  Length<std::string, 0, 200> room;
};

Response page(const char* html) {
  Response response;
  response.set_static_type(kTextHtml).set_static_body(html);
  return response;
}

std::string address_of(const std::string& room) {
  return room.empty() ? "/" : "/r/" + room;
}

Redirect go(Query<Wanted> wanted) {
  return Redirect(address_of(room_name_of(*wanted->room)));
}

/// A name that is spelled otherwise leads to the room that is meant.
Response show_room(std::string_view text) {
  const std::string name = room_name_of(text);
  if (name != text) {
    return Response(303).add_header("Location", address_of(name));
  }
  return page(assets::kRoomPage);
}

void add_asset(App& app, RuntimePattern path, const char* type, const char* body) {
  app.get(path, [type, body] {
    Response response;
    response.set_static_type(type).set_static_body(body);
    response.add_header("Cache-Control", "max-age=300");
    return response;
  });
}

void add_assets(App& app) {
  constexpr const char* kScriptType = "text/javascript; charset=utf-8";
  add_asset(app, {"/style.css"}, "text/css; charset=utf-8", assets::kStyle);
  add_asset(app, {"/icon.svg"}, "image/svg+xml", assets::kIcon);
  add_asset(app, {"/lobby.js"}, kScriptType, assets::kLobbyScript);
  add_asset(app, {"/room.js"}, kScriptType, assets::kRoomScript);
  add_asset(app, {"/connection.js"}, kScriptType, assets::kConnectionScript);
  add_asset(app, {"/log.js"}, kScriptType, assets::kLogScript);
}

void add_protection(const Request& /*request*/, Response& response) {
  response.add_header("Content-Security-Policy", kPolicy);
  response.add_header("X-Content-Type-Options", "nosniff");
  response.add_header("Referrer-Policy", "same-origin");
}

}  // namespace

void add_pages(App& app) {
  app.after(add_protection);
  app.get("/", [] { return page(assets::kLobbyPage); });
  app.get("/go", go);
  app.get("/r/{room}", show_room);
  app.get("/rooms", [](State<Rooms> rooms) { return rooms->busy(); });
  add_assets(app);
}

}  // namespace chat
