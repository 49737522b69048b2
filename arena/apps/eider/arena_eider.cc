// The measuring service: the arena's endpoints on Eider's public API and nothing else.
//
//   arena_eider PORT THREADS [--backend auto|epoll|io_uring] [--delay-ms T] [--routes N]
//               [--middlewares N] [--host ADDRESS] [--processes N] [--files DIR]
//               [--profiles DIR] [--tls-port P [--cert F --key F]] [--upstream HOST:PORT]
//               [--database WHERE [--database-connections N] [--redis URL]]
#include <eider/eider.h>
#include <eider/http2.h>
#include <eider/proxy.h>
#include <eider/tls.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <exception>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "../common/command_line.h"
#include "checked.h"
#include "database.h"
#include "form_page.h"
#include "items.h"
#include "profiles.h"
#include "realtime.h"
#include "streams.h"

namespace {

using namespace eider;

struct Options {
  ServerOptions server;
  std::chrono::milliseconds delay{0};
  int routes = 0;
  int middlewares = 0;
  int processes = 0;     // 0: this one
  std::string upstream;  // of /proxy; empty: none
  std::string files;     // served at /files; empty: none
  std::string profiles;  // of /json and /static; empty: none
  std::string redis;     // of /crud/items; empty: none
  arena::DatabaseOptions database;
};

struct Message {
  std::string_view message;
};

constexpr int kNoPort = -1;
constexpr std::size_t kBigBytes = std::size_t{8} << 20;
constexpr std::size_t kBodyBytesMax = std::size_t{1} << 20;

/// The body back with `"reply":"received"` in it (experiment 2 of the arena).
Result<json::Value> reply_to(json::Value body) {
  if (!body.is_object()) {
    return fail(Error::invalid({{"", "must be an object"}}));
  }
  body["reply"] = "received";
  return body;
}

/// Made when it is first asked for: a run that does not ask pays no memory.
class BigBody {
 public:
  [[nodiscard]] const std::shared_ptr<const std::string>& text() {
    std::call_once(once_, [this] { text_ = std::make_shared<std::string>(kBigBytes, 'x'); });
    return text_;
  }

 private:
  std::once_flag once_;
  std::shared_ptr<const std::string> text_;
};

void add_plain_routes(App& app) {
  app.get("/plaintext", [] { return "Hello, World!"; });
  app.get("/simple", [] { return "Hello, World!"; });
  app.get("/bench", [] { return "Hello, World!"; });
  app.get("/html", [] { return Html("<p>Hello, world!</p>"); });
  app.get("/json", [] { return Message{"Hello, World!"}; });
  app.get("/test/status", [] { return "OK"; });
  app.get("/test/labels/{label}", [](std::string_view label) { return label; });
  app.get("/users/{id}/posts/{pid}",
          [](int id, int pid) { return std::to_string(id) + " " + std::to_string(pid); });
  const auto big = std::make_shared<BigBody>();
  app.get("/big", [big] { return big->text(); });
  app.get("/bytes/{count}", [big](Bounded<int, 0, kBodyBytesMax> count) {
    const auto& text = big->text();
    const auto bytes = std::string_view(*text).substr(0, static_cast<std::size_t>(*count));
    return Response().set_static_type("application/octet-stream").set_shared_body(text, bytes);
  });
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
    app.on_request([](Request& request) { static_cast<void>(request.path().size()); });
  }
}

Options read_options(int argc, char** argv) {
  using Line = arena::CommandLine;
  Options options;
  ServerOptions& server = options.server;
  int delay_ms = 0;
  int tls_port = kNoPort;
  std::string backend = "auto";
  Line line;
  line.add("PORT", server.port, 0, Line::kPortMax)
      .add("THREADS", server.threads, 0, Line::kThreadsMax)
      .add("--backend", backend, {"auto", "epoll", "io_uring"})
      .add("--delay-ms", delay_ms, 0, Line::kMost)
      .add("--routes", options.routes, 0, Line::kMost)
      .add("--middlewares", options.middlewares, 0, Line::kMost)
      .add("--host", server.host)
      .add("--processes", options.processes, 0, Line::kMost)
      .add("--files", options.files)
      .add("--profiles", options.profiles)
      .add("--tls-port", tls_port, 0, Line::kPortMax)
      .add("--cert", server.certificate)
      .add("--key", server.key)
      .add("--upstream", options.upstream)
      .add("--database", options.database.where)
      .add("--database-connections", options.database.connections, 1, Line::kMost)
      .add("--redis", options.redis);
  line.read(argc, argv);
  options.delay = std::chrono::milliseconds(delay_ms);
  server.backend = *parse_backend(backend);
  server.shares_port = options.processes != 0;
  if (tls_port != kNoPort) {
    server.additional_addresses.push_back(
        {.host = server.host, .port = static_cast<std::uint16_t>(tls_port), .is_secure = true});
  }
  return options;
}

/// Serves in so many copies of this process, and ends them when it is told to end itself.
int serve_in_processes(App& app, const Options& options) {
  sigset_t told;
  sigset_t before;
  sigemptyset(&told);
  sigaddset(&told, SIGTERM);
  sigaddset(&told, SIGINT);
  sigprocmask(SIG_BLOCK, &told, &before);
  std::vector<pid_t> copies;
  for (int i = 0; i < options.processes; ++i) {
    const pid_t copy = fork();
    if (copy == 0) {
      prctl(PR_SET_PDEATHSIG, SIGTERM);
      sigprocmask(SIG_SETMASK, &before, nullptr);
      return app.serve(options.server);
    }
    if (copy < 0) {
      std::perror("arena_eider: fork");
      break;
    }
    copies.push_back(copy);
  }
  const bool are_all = static_cast<int>(copies.size()) == options.processes;
  int signal = SIGTERM;
  if (are_all) {
    sigwait(&told, &signal);
  }
  for (const pid_t copy : copies) {
    if (signal == SIGTERM) {  // a Ctrl-C has reached them too
      kill(copy, SIGTERM);
    }
  }
  int worst = are_all ? 0 : 1;
  for (const pid_t copy : copies) {
    int status = 0;
    waitpid(copy, &status, 0);
    worst = std::max(worst, WIFEXITED(status) ? WEXITSTATUS(status) : 1);
  }
  return worst;
}

int serve(const Options& options) {
  App app;
  add_tls(app);
  add_http2(app);
  add_plain_routes(app);
  add_slow_routes(app, options.delay);
  arena::add_orders(app);
  arena::add_form_page(app);
  add_streams(app);
  add_realtime(app);
  if (!options.files.empty()) {
    serve_files(app, "/files", options.files);
  }
  if (!options.profiles.empty()) {
    arena::add_profiles(app, options.profiles);
  }
  if (!options.upstream.empty()) {
    proxy_to(app, "/proxy", {"http://" + options.upstream});
  }
  if (!options.database.where.empty()) {
    arena::add_database(app, options.database);
    arena::add_items(app, options.redis);
  }
  add_load(app, options);
  return options.processes == 0 ? app.serve(options.server) : serve_in_processes(app, options);
}

}  // namespace

int main(int argc, char** argv) {
  const Options options = read_options(argc, argv);
  try {
    return serve(options);
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "%s: %s\n", argv[0], failure.what());
    return 1;
  }
}
