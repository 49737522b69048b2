// The arena's endpoints on cpp-httplib, which gives each connection a thread of its pool.
//
//   httplib_app PORT THREADS DELAY_MS [--routes N] [--middlewares M] [--connections N]
#include <httplib.h>
#include <sys/socket.h>

#include <memory>
#include <thread>

#include "../common/adapter.h"
#include "../common/adapter_json.h"

namespace {

using arena::Options;
using httplib::Request;
using httplib::Response;
using httplib::Server;

constexpr int kBacklog = 4096;
constexpr std::size_t kRequestsMax = 1'000'000'000;
/// The default is 5; its end waits for idle connections.
constexpr std::time_t kIdleSeconds = 4;

void answer_post(const Request& request, Response& response) {
  const auto reply = arena::reply_to(request.body);
  if (!reply) {
    response.status = 400;
    response.set_content("the body must be a JSON object", "text/plain");
    return;
  }
  response.set_content(*reply, "application/json");
}

void add_constant(Server& server, const char* path, const char* type, std::string body) {
  server.Get(path, [type, body = std::move(body)](const Request&, Response& response) {
    response.set_content(body, type);
  });
}

void add_plain_routes(Server& server) {
  for (const char* path : {"/plaintext", "/simple", "/bench"}) {
    add_constant(server, path, "text/plain", arena::kHello);
  }
  server.Get("/json", [](const Request&, Response& response) {
    response.set_content(arena::hello_json(), "application/json");
  });
  add_constant(server, "/html", "text/html", arena::kHtml);
  add_constant(server, "/test/status", "text/plain", "OK");
  server.Get(R"(/test/labels/([^/]+))", [](const Request& request, Response& response) {
    response.set_content(request.matches[1].str(), "text/plain");
  });
  for (const int size : arena::kSizes) {
    add_constant(server, ("/bytes/" + std::to_string(size)).c_str(), arena::kOctets,
                 arena::filled(size));
  }
}

void add_slow_routes(Server& server, std::chrono::milliseconds delay) {
  for (const char* path : {"/test", "/test/blocking"}) {
    server.Post(path, [delay](const Request& request, Response& response) {
      std::this_thread::sleep_for(delay);
      answer_post(request, response);
    });
  }
}

void add_areas(Server& server, int first, int last) {
  for (int i = first; i < last; ++i) {
    const std::string n = std::to_string(i);
    server.Get("/area" + n + R"(/(\d+)/item)" + n + R"(/(\d+))", [](const Request& request,
                                                                    Response& response) {
      const int id = std::stoi(request.matches[1]);
      response.set_content(std::to_string(id + std::stoi(request.matches[2])), "text/plain");
    });
  }
}

/// The server tries patterns in order: the measured one stands in the middle of its company.
void add_typed_routes(Server& server, int company) {
  add_areas(server, 0, company / 2);
  server.Get(R"(/users/(\d+)/posts/(\d+))", [](const Request& request, Response& response) {
    const int id = std::stoi(request.matches[1]);
    response.set_content(arena::post_text(id, std::stoi(request.matches[2])), "text/plain");
  });
  add_areas(server, company / 2, company);
}

/// The library has one place for a hook before the routes.
void add_middlewares(Server& server, int count) {
  if (count == 0) {
    return;
  }
  server.set_pre_routing_handler([count](const Request& request, Response&) {
    for (int i = 0; i < count; ++i) {
      static_cast<void>(request.path.size());
    }
    return Server::HandlerResponse::Unhandled;
  });
}

/// Binds, and asks for a longer queue than the 5 that the library is built with.
bool bind(Server& server, int port) {
  auto listener = std::make_shared<int>(-1);
  server.set_socket_options([listener](int socket) {
    *listener = socket;
    httplib::default_socket_options(socket);
  });
  return server.bind_to_port("0.0.0.0", port) && ::listen(*listener, kBacklog) == 0;
}

}  // namespace

int main(int argc, char** argv) {
  const Options options = arena::read_options(argc, argv);
  arena::block_stop_signals();
  Server server;
  server.new_task_queue = [threads = options.pool_threads()] {
    return new httplib::ThreadPool(static_cast<std::size_t>(threads));
  };
  server.set_tcp_nodelay(true);
  server.set_keep_alive_max_count(kRequestsMax);
  server.set_keep_alive_timeout(kIdleSeconds);
  add_plain_routes(server);
  add_slow_routes(server, options.delay);
  add_typed_routes(server, options.routes);
  add_middlewares(server, options.middlewares);
  if (!bind(server, options.port)) {
    std::fprintf(stderr, "cannot listen on port %d: choose another\n", options.port);
    return 1;
  }
  std::thread serving([&server] { server.listen_after_bind(); });
  arena::wait_for_stop();
  server.stop();
  serving.join();
}
