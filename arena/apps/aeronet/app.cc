// The arena's endpoints on aeronet: an event loop and a listening socket per thread.
//
//   app PORT THREADS DELAY_MS [--routes N] [--middlewares M]
//
// The environment has FILES_DIR and PROFILES_DIR, READ_BYTES_MAX for large requests, and TLS_PORT,
// TLS_CERT and TLS_KEY if a second server has to listen with TLS.
#include <aeronet/aeronet-server.hpp>
#include <aeronet/log.hpp>

#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "../common/adapter.h"
#include "parts.h"

// glaze reflects only types that other translation units can name.
namespace arena {

struct Message {
  std::string message;
};

}  // namespace arena

namespace {

using namespace aeronet;
using arena::Options;
using std::chrono::milliseconds;

constexpr auto kGet = http::Method::GET;
constexpr auto kPost = http::Method::POST;
constexpr std::string_view kText = http::ContentTypeTextPlain;
constexpr int kMost = 2147483647;
constexpr std::chrono::hours kIdleMax{1};
constexpr std::int8_t kBrotliQuality = 4;  // the default, 11, is that of files compressed once

/// The object in the body with `"reply":"received"` added; nothing for other bodies.
std::optional<std::string> reply_to(std::string_view body) {
  glz::generic json;
  if (glz::read<glz::opts{.null_terminated = false}>(json, body) || !json.is_object()) {
    return std::nullopt;
  }
  json["reply"] = "received";
  std::string reply;
  static_cast<void>(glz::write_json(json, reply));
  return reply;
}

HttpResponse respond(const HttpRequestView& request, std::optional<std::string> reply) {
  return reply ? request.makeResponse().body(std::move(*reply), http::ContentTypeApplicationJson)
               : request.makeResponse(http::StatusCodeBadRequest, "The body is not an object.");
}

/// `body` must outlive the server: it is sent without a copy.
void add_constant(Router& router, std::string_view path, std::string_view type,
                  std::string_view body) {
  router.setPath(kGet, path, [type, body](const HttpRequestView& request) {
    return request.makeResponse().bodyStatic(body, type);
  });
}

void add_bodies(Router& router) {
  static const std::string longest = arena::filled(arena::kSizes[2]);
  for (const int size : arena::kSizes) {
    add_constant(router, "/bytes/" + std::to_string(size), arena::kOctets,
                 std::string_view(longest).substr(0, static_cast<std::size_t>(size)));
  }
}

void add_plain_routes(Router& router) {
  for (const char* path : {"/plaintext", "/simple", "/bench"}) {
    router.setPath(kGet, path, [](const HttpRequestView& request) {
      return request.makeResponse(arena::kHello);
    });
  }
  router.setPath(kGet, "/json", [](const HttpRequestView& request) {
    return request.makeResponse().bodyJson(arena::Message{arena::kHello});
  });
  router.setPath(kGet, "/html", [](const HttpRequestView& request) {
    return request.makeResponse(std::string_view(arena::kHtml), "text/html");
  });
  router.setPath(kGet, "/test/status",
                 [](const HttpRequestView& request) { return request.makeResponse("OK"); });
  router.setPath(kGet, "/test/labels/{label}", [](const HttpRequestView& request) {
    return request.makeResponse(request.pathParamValueOrEmpty("label"));
  });
  router.setPath(kPost, "/upload", [](const HttpRequestView& request) {
    return request.makeResponse(std::to_string(request.body().size()), kText);
  });
}

/// Waits on a thread of its own, as aeronet's documentation says for work that blocks.
RequestTask<HttpResponse> respond_after(HttpRequestView& request, milliseconds delay) {
  const std::string_view body = co_await request.bodyAwaitable();
  auto reply = co_await request.deferWork([delay, text = std::string(body)] {
    std::this_thread::sleep_for(delay);
    return reply_to(text);
  });
  co_return respond(request, std::move(reply));
}

void add_slow_routes(Router& router, milliseconds delay) {
  const auto later = [delay](HttpRequestView& request) { return respond_after(request, delay); };
  if (delay.count() == 0) {
    router.setPath(kPost, "/test", [](const HttpRequestView& request) {
      return respond(request, reply_to(request.body()));
    });
  } else {
    router.setPath(kPost, "/test", AsyncRequestHandler(later));
  }
  router.setPath(kPost, "/test/blocking", AsyncRequestHandler(later));
}

/// Responds with the text that `text` makes of the two integers in the path.
template <typename Text>
void add_typed_route(Router& router, std::string_view path, Text text) {
  router.setPath(kGet, path, [text](const HttpRequestView& request) {
    const auto first = arena::number(request.pathParamValueOrEmpty("first"), kMost);
    const auto second = arena::number(request.pathParamValueOrEmpty("second"), kMost);
    return first && second ? request.makeResponse(text(*first, *second), kText)
                           : request.makeResponse(http::StatusCodeNotFound);
  });
}

void add_typed_routes(Router& router, const Options& options) {
  add_typed_route(router, "/users/{first}/posts/{second}", arena::post_text);
  for (int i = 0; i < options.routes; ++i) {
    const std::string n = std::to_string(i);
    add_typed_route(router, "/area" + n + "/{first}/item" + n + "/{second}",
                    [](int id, int item) { return std::to_string(id + item); });
  }
  for (int i = 0; i < options.middlewares; ++i) {
    router.addRequestMiddleware([](HttpRequestView& request) {
      static_cast<void>(request.path().size());
      return MiddlewareResult::Continue();
    });
  }
}

/// The handler finds the whole path below its root, so that is the parent of the directory.
void add_files(Router& router, const std::filesystem::path& directory) {
  router.setPath(kGet, "/" + directory.filename().string() + "/*",
                 StaticFileHandler(directory.parent_path()));
}

Router make_router(const Options& options) {
  Router router;
  add_plain_routes(router);
  add_bodies(router);
  add_slow_routes(router, options.delay);
  add_typed_routes(router, options);
  arena::add_realtime(router);
  arena::add_orders(router);
  if (const char* files = std::getenv("FILES_DIR")) {
    add_files(router, files);
  }
  if (const char* profiles = std::getenv("PROFILES_DIR")) {
    arena::add_items(router, profiles);
    add_files(router, std::filesystem::path(profiles) / "static");
  }
  return router;
}

HttpServerConfig configured(int port, const Options& options) {
  HttpServerConfig config;
  config.withPort(static_cast<std::uint16_t>(port))
      .withNbThreads(static_cast<std::uint32_t>(options.threads))
      .withMaxRequestsPerConnection(std::numeric_limits<std::uint32_t>::max())
      .withKeepAliveTimeout(kIdleMax);
  config.compression.preferredFormats = {Encoding::gzip, Encoding::br};
  config.compression.brotli.quality = kBrotliQuality;
  config.compression.contentTypeAllowList.append(http::ContentTypeApplicationJson);
  if (const char* bytes = std::getenv("READ_BYTES_MAX")) {
    config.withMaxPerEventReadBytes(std::strtoull(bytes, nullptr, 10));
  }
  return config;
}

/// Nothing if the environment has no port for TLS.
std::optional<HttpServerConfig> configured_tls(const Options& options) {
  const char* port = std::getenv("TLS_PORT");
  const char* certificate = std::getenv("TLS_CERT");
  const char* key = std::getenv("TLS_KEY");
  if (port == nullptr || certificate == nullptr || key == nullptr) {
    return std::nullopt;
  }
  HttpServerConfig config = configured(std::atoi(port), options);
  config.withTlsCertKey(certificate, key).withTlsAlpnProtocols({"h2", "http/1.1"});
  config.tls.withTlsSessionTickets(true);
  // Otherwise each first response waits 40 ms for an acknowledgement.
  config.withTcpNoDelay();
  return config;
}

void serve(const Options& options) {
  const Router router = make_router(options);
  HttpServer plain(configured(options.port, options), router);
  std::optional<HttpServer> sealed;
  if (auto config = configured_tls(options)) {
    sealed.emplace(std::move(*config), router);
    sealed->start();
  }
  plain.start();
  arena::wait_for_stop();
  plain.stop();
  if (sealed) {
    sealed->stop();
  }
}

}  // namespace

int main(int argc, char** argv) {
  const Options options = arena::read_options(argc, argv);
  arena::block_stop_signals();
  std::signal(SIGPIPE, SIG_IGN);  // OpenSSL writes to closed sockets
  aeronet::log::set_level(aeronet::log::level::off);
  try {
    serve(options);
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "%s: %s\n", argv[0], failure.what());
    return 1;
  }
}
