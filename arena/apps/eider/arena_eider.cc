// The measuring service: the arena's endpoints on Eider's public API and nothing else.
//
//   arena_eider PORT THREADS [--backend auto|epoll|io_uring] [--delay-ms T] [--routes N]
//               [--middlewares N]
#include <eider/eider.h>
#include <getopt.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>

namespace {

using namespace eider;

struct Options {
  ServerOptions server;
  std::chrono::milliseconds delay{0};
  int routes = 0;
  int middlewares = 0;
};

struct Message {
  std::string_view message;
};

constexpr std::size_t kBigBytes = std::size_t{8} << 20;

/// The body back with `"reply":"received"` in it (experiment 2 of the arena).
Result<json::Value> reply_to(json::Value body) {
  if (!body.is_object()) {
    return fail(Error::invalid({{"", "must be an object"}}));
  }
  body["reply"] = "received";
  return body;
}

void add_plain_routes(App& app) {
  app.get("/plaintext", [] { return "Hello, World!"; });
  app.get("/simple", [] { return "Hello, World!"; });
  app.get("/json", [] { return Message{"Hello, World!"}; });
  app.get("/test/status", [] { return "OK"; });
  app.get("/test/labels/{label}", [](std::string_view label) { return label; });
  app.get("/users/{id}/posts/{pid}",
          [](int id, int pid) { return std::to_string(id) + " " + std::to_string(pid); });
  app.get("/big", [body = std::string(kBigBytes, 'x')] { return std::string_view(body); });
}

void add_slow_routes(App& app, std::chrono::milliseconds delay) {
  app.post("/test", [delay](Json<json::Value> body) -> Task<Result<json::Value>> {
    if (delay.count() != 0) {
      co_await sleep_for(delay);
    }
    co_return reply_to(std::move(*body));
  });
  app.post("/test/blocking", blocking([delay](Json<json::Value> body) {
             std::this_thread::sleep_for(delay);
             return reply_to(std::move(*body));
           }));
}

/// Company for the measured route: a table of a real application's size, and hooks around it.
void add_load(App& app, const Options& options) {
  for (int i = 0; i < options.routes; ++i) {
    const std::string n = std::to_string(i);
    app.get(RuntimePattern{"/area" + n + "/{id}/item" + n + "/{item}"},
            [](int id, int item) { return id + item; });
  }
  for (int i = 0; i < options.middlewares; ++i) {
    app.before([](Request& request) { static_cast<void>(request.path().size()); });
  }
}

int usage(const char* name) {
  std::fprintf(stderr,
               "usage: %s PORT THREADS [--backend auto|epoll|io_uring] [--delay-ms T] [--routes N] "
               "[--middlewares N]\n",
               name);
  return 2;
}

bool parse(int argc, char** argv, Options& options) {
  const option known[] = {{"backend", required_argument, nullptr, 'b'},
                          {"delay-ms", required_argument, nullptr, 'd'},
                          {"routes", required_argument, nullptr, 'r'},
                          {"middlewares", required_argument, nullptr, 'm'},
                          {nullptr, 0, nullptr, 0}};
  for (int found = 0; (found = getopt_long(argc, argv, "", known, nullptr)) != -1;) {
    switch (found) {
      case 'b': {
        const auto backend = parse_backend(optarg);
        if (!backend) {
          return false;
        }
        options.server.backend = *backend;
        break;
      }
      case 'd':
        options.delay = std::chrono::milliseconds(std::atoi(optarg));
        break;
      case 'r':
        options.routes = std::atoi(optarg);
        break;
      case 'm':
        options.middlewares = std::atoi(optarg);
        break;
      default:
        return false;
    }
  }
  if (argc - optind != 2) {
    return false;
  }
  options.server.port = static_cast<std::uint16_t>(std::atoi(argv[optind]));
  options.server.threads = static_cast<unsigned>(std::atoi(argv[optind + 1]));
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  if (!parse(argc, argv, options)) {
    return usage(argv[0]);
  }
  App app;
  add_plain_routes(app);
  add_slow_routes(app, options.delay);
  add_load(app, options);
  return app.serve(options.server);
}
