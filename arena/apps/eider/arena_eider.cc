// The measuring service: the arena's endpoints on Eider's public API and nothing else.
//
//   arena_eider PORT THREADS [--backend auto|epoll|io_uring] [--delay-ms T] [--routes N]
//               [--middlewares N] [--host ADDRESS] [--processes N] [--files DIR]
//               [--tls-port P [--cert F --key F]] [--upstream HOST:PORT]
#include <eider/eider.h>
#include <eider/http2/http2.h>
#include <eider/proxy/proxy.h>
#include <eider/tls/tls.h>
#include <getopt.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "realtime.h"
#include "streams.h"

namespace {

using namespace eider;

struct Options {
  ServerOptions server;
  std::chrono::milliseconds delay{0};
  int routes = 0;
  int middlewares = 0;
  int processes = 0;  // 0: this one
  std::optional<int> tls_port;
  std::string upstream;  // of /proxy; empty: none
  std::string files;     // served at /files; empty: none
};

struct Message {
  std::string_view message;
};

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

/// Made when it is first asked for: whoever does not ask pays no memory.
class BigBody {
 public:
  [[nodiscard]] std::string_view view() {
    std::call_once(once_, [this] { text_.assign(kBigBytes, 'x'); });
    return text_;
  }

 private:
  std::once_flag once_;
  std::string text_;
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
  app.get("/big", [big] { return big->view(); });
  app.get("/bytes/{count}", [big](Range<int, 0, kBodyBytesMax> count) {
    const auto bytes = big->view().substr(0, static_cast<std::size_t>(*count));
    return Response().set_static_type("application/octet-stream").set_static_body(bytes);
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
    app.before([](Request& request) { static_cast<void>(request.path().size()); });
  }
}

int usage(const char* name) {
  std::fprintf(stderr,
               "usage: %s PORT THREADS [--backend auto|epoll|io_uring] [--delay-ms T] [--routes N] "
               "[--middlewares N] [--host ADDRESS] [--processes N] [--files DIR] "
               "[--tls-port P [--cert F --key F]] [--upstream HOST:PORT]\n",
               name);
  return 2;
}

/// A decimal number from 0 to `max`; nothing else.
std::optional<int> number(const char* text, int max) {
  int value = 0;
  const char* end = text + std::strlen(text);
  const auto parsed = std::from_chars(text, end, value);
  const bool fits = parsed.ec == std::errc() && parsed.ptr == end && value >= 0 && value <= max;
  return fits ? std::optional(value) : std::nullopt;
}

/// What one option says; false when it cannot be understood.
bool apply(Options& options, int found, const char* value) {
  constexpr int kMost = 1'000'000;
  if (value == nullptr) {
    return false;  // an option that is not known
  }
  if (found == 'b') {
    const auto backend = parse_backend(value);
    options.server.backend = backend.value_or(Backend::automatic);
    return backend.has_value();
  }
  if (found == 'h') {
    options.server.host = value;
    return true;
  }
  if (found == 'f') {
    options.files = value;
    return true;
  }
  if (found == 'c') {
    options.server.certificate = value;
    return true;
  }
  if (found == 'u') {
    options.upstream = value;
    return true;
  }
  if (found == 'k') {
    options.server.key = value;
    return true;
  }
  const auto given = number(value, kMost);
  switch (found) {
    case 'd':
      options.delay = std::chrono::milliseconds(given.value_or(0));
      return given.has_value();
    case 'r':
      options.routes = given.value_or(0);
      return given.has_value();
    case 'p':
      options.processes = given.value_or(0);
      options.server.shares_port = true;
      return given.has_value();
    case 't':
      options.tls_port = given.value_or(0);
      return given && *given <= 65535;
    case 'm':
      options.middlewares = given.value_or(0);
      return given.has_value();
    default:
      return false;
  }
}

std::optional<Options> parse(int argc, char** argv) {
  const option known[] = {{"backend", required_argument, nullptr, 'b'},
                          {"delay-ms", required_argument, nullptr, 'd'},
                          {"routes", required_argument, nullptr, 'r'},
                          {"middlewares", required_argument, nullptr, 'm'},
                          {"host", required_argument, nullptr, 'h'},
                          {"processes", required_argument, nullptr, 'p'},
                          {"files", required_argument, nullptr, 'f'},
                          {"tls-port", required_argument, nullptr, 't'},
                          {"cert", required_argument, nullptr, 'c'},
                          {"upstream", required_argument, nullptr, 'u'},
                          {"key", required_argument, nullptr, 'k'},
                          {nullptr, 0, nullptr, 0}};
  Options options;
  for (int found = 0; (found = getopt_long(argc, argv, "", known, nullptr)) != -1;) {
    if (!apply(options, found, optarg)) {
      return std::nullopt;
    }
  }
  if (argc - optind != 2) {
    return std::nullopt;
  }
  const auto port = number(argv[optind], 65535);
  const auto threads = number(argv[optind + 1], 1024);
  if (!port || !threads) {
    return std::nullopt;
  }
  options.server.port = static_cast<std::uint16_t>(*port);
  options.server.threads = static_cast<unsigned>(*threads);
  if (options.tls_port) {
    options.server.also.push_back({.host = options.server.host,
                                   .port = static_cast<std::uint16_t>(*options.tls_port),
                                   .is_secure = true});
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
  enable_tls(app);
  enable_http2(app);
  add_plain_routes(app);
  add_slow_routes(app, options.delay);
  add_streams(app);
  add_realtime(app);
  if (!options.files.empty()) {
    serve_files(app, "/files", options.files);
  }
  if (!options.upstream.empty()) {
    proxy_to(app, "/proxy", {"http://" + options.upstream});
  }
  add_load(app, options);
  return options.processes == 0 ? app.serve(options.server) : serve_in_processes(app, options);
}

}  // namespace

int main(int argc, char** argv) {
  const auto options = parse(argc, argv);
  if (!options) {
    return usage(argv[0]);
  }
  try {
    return serve(*options);
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "%s: %s\n", argv[0], failure.what());
    return 1;
  }
}
