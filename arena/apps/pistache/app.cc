// The arena's endpoints on Pistache: its REST router, THREADS workers of its listener.
//
//   pistache_app PORT THREADS DELAY_MS [--routes N] [--middlewares M]
#include <pistache/endpoint.h>
#include <pistache/peer.h>
#include <pistache/router.h>
#include <sys/socket.h>

#include <memory>
#include <string>
#include <thread>

#include "../common/adapter.h"
#include "../common/adapter_json.h"

namespace {

using arena::Options;
using Pistache::Http::Code;
using Pistache::Http::Endpoint;
using Pistache::Http::ResponseWriter;
using Pistache::Http::Header::Connection;
using Pistache::Http::Mime::MediaType;
using Pistache::Rest::Request;
using Pistache::Rest::Route;
using Pistache::Rest::Router;

constexpr int kBacklog = 4096;

/// Pistache takes a request that says nothing about its connection for one that closes, and
/// leaves the closing to the client: here HTTP/1.1 as it is meant.
Route::Result answer(const Request& request, ResponseWriter& response, const std::string& body,
                     const MediaType& type) {
  if (const auto asked = request.headers().tryGet<Connection>()) {
    const bool closes = asked->control() == Pistache::Http::ConnectionControl::Close;
    const int fd = closes ? static_cast<int>(response.peer()->fd()) : -1;
    auto sent = response.send(Code::Ok, body, type);
    if (closes) {
      sent.then([fd](ssize_t) { ::shutdown(fd, SHUT_WR); }, Pistache::Async::IgnoreException);
    }
    return Route::Result::Ok;
  }
  response.headers().remove<Connection>();
  response.send(Code::Ok, body, type);
  return Route::Result::Ok;
}

Route::Result answer_post(const Request& request, ResponseWriter& response) {
  const auto reply = arena::reply_to(request.body());
  if (!reply) {
    response.send(Code::Bad_Request, "the body must be a JSON object");
    return Route::Result::Ok;
  }
  return answer(request, response, *reply, MIME(Application, Json));
}

void add_constant(Router& router, const std::string& path, MediaType type, std::string body) {
  router.get(path, [type, body = std::move(body)](const Request& request, ResponseWriter response) {
    return answer(request, response, body, type);
  });
}

void add_plain_routes(Router& router) {
  for (const char* path : {"/plaintext", "/simple", "/bench"}) {
    add_constant(router, path, MIME(Text, Plain), arena::kHello);
  }
  router.get("/json", [](const Request& request, ResponseWriter response) {
    return answer(request, response, arena::hello_json(), MIME(Application, Json));
  });
  add_constant(router, "/html", MIME(Text, Html), arena::kHtml);
  add_constant(router, "/test/status", MIME(Text, Plain), "OK");
  router.get("/test/labels/:label", [](const Request& request, ResponseWriter response) {
    return answer(request, response, request.param(":label").as<std::string>(), MIME(Text, Plain));
  });
  for (const int size : arena::kSizes) {
    add_constant(router, "/bytes/" + std::to_string(size), MIME(Application, OctetStream),
                 arena::filled(size));
  }
}

void add_slow_routes(Router& router, std::chrono::milliseconds delay) {
  for (const char* path : {"/test", "/test/blocking"}) {
    router.post(path, [delay](const Request& request, ResponseWriter response) {
      std::this_thread::sleep_for(delay);
      return answer_post(request, response);
    });
  }
}

void add_typed_routes(Router& router, int company) {
  router.get("/users/:id/posts/:pid", [](const Request& request, ResponseWriter response) {
    const int id = request.param(":id").as<int>();
    return answer(request, response, arena::post_text(id, request.param(":pid").as<int>()),
                  MIME(Text, Plain));
  });
  for (int i = 0; i < company; ++i) {
    const std::string n = std::to_string(i);
    router.get("/area" + n + "/:id/item" + n + "/:item", [](const Request& request,
                                                            ResponseWriter response) {
      const int id = request.param(":id").as<int>();
      return answer(request, response, std::to_string(id + request.param(":item").as<int>()),
                    MIME(Text, Plain));
    });
  }
}

void add_middlewares(Router& router, int count) {
  for (int i = 0; i < count; ++i) {
    router.addMiddleware([](Pistache::Http::Request& request, ResponseWriter&) {
      static_cast<void>(request.resource().size());
      return true;
    });
  }
}

}  // namespace

int main(int argc, char** argv) {
  const Options options = arena::read_options(argc, argv);
  arena::block_stop_signals();
  constexpr auto kIdle = std::chrono::minutes(10);
  Router router;
  add_plain_routes(router);
  add_slow_routes(router, options.delay);
  add_typed_routes(router, options.routes);
  add_middlewares(router, options.middlewares);
  Endpoint endpoint(Pistache::Address(Pistache::Ipv4::any(),
                                      Pistache::Port(static_cast<std::uint16_t>(options.port))));
  endpoint.init(Endpoint::options()
                    .threads(options.threads)
                    .flags(Pistache::Tcp::Options::ReuseAddr | Pistache::Tcp::Options::NoDelay)
                    .backlog(kBacklog)
                    .keepaliveTimeout(kIdle));
  endpoint.setHandler(router.handler());
  endpoint.serveThreaded();
  arena::wait_for_stop();
  endpoint.shutdown();
}
