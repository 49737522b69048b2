#include <eider/assets.h>
#include <eider/eider.h>
#include <eider/telemetry.h>
#include <eider/views.h>

#include <string>

#include "front.html.h"
#include "shop_assets.h"
#include "words.h"

#ifdef SHOP_HAS_REDIS
#include <eider/redis.h>
#endif
/* Nor this one, see [1:
#include <eider/postgres.h>
*/

namespace {

using namespace eider;

struct Options {
  bool development = false;

  static constexpr OptionText kOptions[] = {{"development", "Show changed files without a build"}};
};

}  // namespace

int main(int argc, char** argv) {
  Options own;
  const auto options = read_command_line(argc, argv, OptionSet("shop").add(own));
  if (!options) {
    return options.error();
  }
  // here
  App app;
  const Log log = open_log();
  const Assets assets =
      serve_assets(app, shop_assets(), {.development_directory = own.development ? "web" : ""});
  add_views(app, {.directory = "pages", .development = own.development});
  app.get("/", [style = assets.url("style.css")](State<Views> views) {
    return views->page(shop::FrontPage{shop::greeting(), style});
  });
  app.get("/words", [] { return shop::greeting(); });
  app.post("/words", [log](const Request& request) {
    log.info("posted", {{"bytes", request.body().size()}});
    return std::string(request.body());
  });
  WebSocketHandlers echo;
  echo.message = [](WebSocketRef& socket, const WsMessage& said) { socket.try_send(said); };
  app.ws("/echo", std::move(echo));
  return app.serve(*options);
}
