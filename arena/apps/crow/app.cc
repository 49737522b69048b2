// The arena's endpoints on Crow: typed routes, its JSON; what waits blocks.
//
//   crow_app PORT THREADS DELAY_MS [--routes N] [--middlewares 0|5]
#include <crow.h>

#include <string>
#include <thread>

#include "../common/adapter.h"

namespace {

using arena::Options;

constexpr std::uint8_t kIdleSeconds = 255;  // the longest that it can be told

/// Crow's middlewares are types, and how many there are is part of the application's type.
template <int number>
struct PathReader {
  struct context {};

  void before_handle(crow::request& request, crow::response&, context&) {
    static_cast<void>(request.url.size());
  }

  void after_handle(crow::request&, crow::response&, context&) {}
};

using PlainApp = crow::SimpleApp;
using LayeredApp =
    crow::App<PathReader<0>, PathReader<1>, PathReader<2>, PathReader<3>, PathReader<4>>;
constexpr int kLayers = 5;

crow::response answer(const char* type, std::string body) {
  crow::response response(std::move(body));
  response.set_header("Content-Type", type);
  return response;
}

/// The object in the body with `"reply":"received"` added, or a refusal.
crow::response reply_to(const std::string& body) {
  const crow::json::rvalue json = crow::json::load(body);
  if (!json || json.t() != crow::json::type::Object) {
    return crow::response(400);
  }
  crow::json::wvalue reply(json);
  reply["reply"] = "received";
  return crow::response(reply);
}

template <typename App>
void add_plain_routes(App& app) {
  for (const char* path : {"/plaintext", "/simple", "/bench"}) {
    app.route_dynamic(path)([] { return answer("text/plain", arena::kHello); });
  }
  CROW_ROUTE(app, "/json")
  ([] {
    crow::json::wvalue json;
    json["message"] = arena::kHello;
    return json;
  });
  CROW_ROUTE(app, "/html")([] { return answer("text/html", arena::kHtml); });
  CROW_ROUTE(app, "/test/status")([] { return answer("text/plain", "OK"); });
  CROW_ROUTE(app, "/test/labels/<string>")
  ([](std::string label) { return answer("text/plain", std::move(label)); });
  for (const int size : arena::kSizes) {
    app.route_dynamic("/bytes/" + std::to_string(size))(
        [body = arena::filled(size)] { return answer(arena::kOctets, body); });
  }
}

/// Both block a thread of its loops: an answer that a timer ends later frees it twice (Crow's issue
/// 843).
template <typename App>
void add_slow_routes(App& app, std::chrono::milliseconds delay) {
  for (const char* path : {"/test", "/test/blocking"}) {
    app.route_dynamic(path).methods(crow::HTTPMethod::Post)([delay](const crow::request& request) {
      std::this_thread::sleep_for(delay);
      return reply_to(request.body);
    });
  }
}

template <typename App>
void add_typed_routes(App& app, int company) {
  CROW_ROUTE(app, "/users/<int>/posts/<int>")
  ([](int id, int post) { return answer("text/plain", arena::post_text(id, post)); });
  for (int i = 0; i < company; ++i) {
    const std::string n = std::to_string(i);
    app.route_dynamic("/area" + n + "/<int>/item" + n + "/<int>")(
        [](int id, int item) { return answer("text/plain", std::to_string(id + item)); });
  }
}

/// One of its threads only accepts, so it is told one more.
template <typename App>
void serve(const Options& options) {
  App app;
  add_plain_routes(app);
  add_slow_routes(app, options.delay);
  add_typed_routes(app, options.routes);
  app.loglevel(crow::LogLevel::Critical)
      .timeout(kIdleSeconds)
      .port(static_cast<std::uint16_t>(options.port))
      .concurrency(static_cast<unsigned>(options.threads) + 1)
      .run();
}

}  // namespace

int main(int argc, char** argv) {
  const Options options = arena::read_options(argc, argv);
  if (options.middlewares != 0 && options.middlewares != kLayers) {
    std::fprintf(stderr, "--middlewares %d: only 0 and %d are compiled; ask for one of them\n",
                 options.middlewares, kLayers);
    return 2;
  }
  options.middlewares == 0 ? serve<PlainApp>(options) : serve<LayeredApp>(options);
}
