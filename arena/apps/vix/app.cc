// The arena's endpoints on Vix.cpp: its router, its JSON, its executor for heavy routes.
//
//   vix_app PORT THREADS DELAY_MS [--routes N] [--middlewares M]
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <vix.hpp>

#include "../common/adapter.h"

namespace {

using arena::Options;
using vix::App;
using vix::Request;
using vix::Response;

constexpr int kIdleSeconds = 600;
constexpr int kMost = 2147483647;

/// It sets no type where there is one.
void answer(Response& response, const char* type, const std::string& body) {
  response.type(type).text(body);
}

void add_constant(App& app, const std::string& path, const char* type, std::string body) {
  app.get(path, [type, body = std::move(body)](Request&, Response& response) {
    answer(response, type, body);
  });
}

void add_plain_routes(App& app) {
  for (const char* path : {"/plaintext", "/simple", "/bench"}) {
    add_constant(app, path, "text/plain", arena::kHello);
  }
  app.get("/json", [](Request&, Response& response) { response.json({"message", arena::kHello}); });
  add_constant(app, "/html", "text/html", arena::kHtml);
  add_constant(app, "/test/status", "text/plain", "OK");
  app.get("/test/labels/{label}", [](Request& request, Response& response) {
    answer(response, "text/plain", request.param("label"));
  });
  for (const int size : arena::kSizes) {
    add_constant(app, "/bytes/" + std::to_string(size), arena::kOctets, arena::filled(size));
  }
}

/// Its handlers cannot wait otherwise: heavy ones block threads of their own.
void add_slow_routes(App& app, std::chrono::milliseconds delay) {
  for (const char* path : {"/test", "/test/blocking"}) {
    app.post_heavy(path, [delay](Request& request, Response& response) {
      auto json = request.json();
      if (!json.is_object()) {
        answer(response.status(400), "text/plain", "the body must be a JSON object");
        return;
      }
      std::this_thread::sleep_for(delay);
      json["reply"] = "received";
      response.json(json);
    });
  }
}

/// Answers with what `text` makes of the two integers in the path.
template <typename Text>
void add_typed_route(App& app, const std::string& path, Text text) {
  app.get(path, [text](Request& request, Response& response) {
    const auto first = arena::number(request.param("first"), kMost);
    const auto second = arena::number(request.param("second"), kMost);
    if (!first || !second) {
      answer(response.status(404), "text/plain", "not found");
      return;
    }
    answer(response, "text/plain", text(*first, *second));
  });
}

void add_typed_routes(App& app, int company) {
  add_typed_route(app, "/users/{first}/posts/{second}", arena::post_text);
  for (int i = 0; i < company; ++i) {
    const std::string n = std::to_string(i);
    add_typed_route(app, "/area" + n + "/{first}/item" + n + "/{second}",
                    [](int id, int item) { return std::to_string(id + item); });
  }
}

void add_middlewares(App& app, int count) {
  for (int i = 0; i < count; ++i) {
    app.use([](Request& request, Response&, App::Next next) {
      static_cast<void>(request.path().size());
      next();
    });
  }
}

/// Its settings come from a file of its own form, and of no other name than `.env.` and something.
std::filesystem::path write_settings(const Options& options) {
  const auto path =
      std::filesystem::temp_directory_path() / (".env.arena_vix_" + std::to_string(options.port));
  std::ofstream(path) << "SERVER_PORT=" << options.port << "\nSERVER_IO_THREADS=" << options.threads
                      << "\nSERVER_SESSION_TIMEOUT_SEC=" << kIdleSeconds
                      << "\nLOGGING_ASYNC=false\n";
  return path;
}

}  // namespace

int main(int argc, char** argv) {
  const Options options = arena::read_options(argc, argv);
  App app(std::make_shared<vix::executor::RuntimeExecutor>(
      static_cast<std::uint32_t>(options.threads)));
  add_middlewares(app, options.middlewares);
  add_plain_routes(app);
  add_slow_routes(app, options.delay);
  add_typed_routes(app, options.routes);
  const auto path = write_settings(options);
  const vix::config::Config config(path);
  std::filesystem::remove(path);
  app.run(config);  // ends itself on SIGTERM
}
