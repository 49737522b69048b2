// The HttpArena entry: every profile that Eider can serve, on its public API.
//
//   httparena        the server
//   httparena edge   the gateway before it: TLS, HTTP/2, static files and authentication
//
// Environment: DATABASE_URL and DATABASE_MAX_CONN for PostgreSQL; REDIS_URL; AUTH_URL, the service
// that authenticates the requests for /api at the edge; HTTPARENA_ROOT, the directory that contains
// data/, certs/ and certs-tls/ (default: /).
#include <eider/compress.h>
#include <eider/eider.h>
#include <eider/http2.h>
#include <eider/postgres.h>
#include <eider/proxy.h>
#include <eider/tls.h>
#include <eider/views.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>

#include "dataset.h"
#include "fortunes.h"
#include "fortunes.html.h"
#include "stack.h"

namespace httparena {

using namespace eider;

namespace {

constexpr std::size_t kUploadBytesMax = std::size_t{32} << 20;
constexpr int kDelayMsMax = 60'000;

// Baseline: sums as text.

struct Sum {
  std::int64_t a = 0;
  std::int64_t b = 0;
};

std::string sum(Query<Sum> of) {
  return std::to_string(of->a + of->b);
}

Result<std::string> sum_with_body(Query<Sum> of, Body body) {
  std::int64_t number = 0;
  const char* const end = body.view().data() + body.size();
  const auto read = std::from_chars(body.view().data(), end, number);
  if (read.ec != std::errc() || read.ptr != end) {
    return fail(Error::invalid({{"", "must be an integer"}}));
  }
  return std::to_string(of->a + of->b + number);
}

Task<std::string> delay(Bounded<int, 0, kDelayMsMax> ms) {
  co_await sleep_for(std::chrono::milliseconds(*ms));
  co_return std::to_string(*ms);
}

// Bodies.

Task<std::string> count_bytes(BodyStream body) {
  std::uint64_t bytes = 0;
  while (auto part = co_await body.next()) {
    bytes += part->size();
  }
  co_return std::to_string(bytes);
}

Response echo(Body body) {
  return Response().set_static_type("application/octet-stream").set_body(std::string(body.view()));
}

WebSocketHandlers echo_messages() {
  return {
      .message = [](WebSocketRef& socket, const WsMessage& message) { socket.try_send(message); }};
}

// Items, from the file of the data set.

struct Multiplier {
  int m = 1;
};

PricedItems priced_items(Bounded<int, 0, kItemsMax> count, Query<Multiplier> by,
                         State<Dataset> dataset) {
  return first_items(*dataset, static_cast<std::size_t>(*count), by->m);
}

// Fortunes, from PostgreSQL.

Task<Html> fortunes(State<Database> db) {
  FortunesPage page{co_await db->all<Fortune>("select id, message from fortune")};
  page.fortunes.push_back({0, "Additional fortune added at request time."});
  std::ranges::sort(page.fortunes, {}, &Fortune::message);
  co_return Html(render_view(page));
}

// The program.

std::string variable(const char* name, const char* initial) {
  const char* const value = std::getenv(name);
  return value == nullptr ? initial : value;
}

void add_database(App& app, const std::string& url) {
  const unsigned threads = std::max(1U, std::thread::hardware_concurrency());
  const int connections = std::atoi(variable("DATABASE_MAX_CONN", "256").c_str());
  const auto per_thread = static_cast<std::size_t>(std::max(connections, 1)) / threads;
  app.state(open_postgres(url, {.connections_max = std::max<std::size_t>(per_thread, 1)}));
  app.get("/async-db", items_between);
  app.get("/fortunes", fortunes);
  if (const std::string redis = variable("REDIS_URL", ""); !redis.empty()) {
    app.state(caches_in(redis));
    app.get("/api/items/{id}", show_item);
    app.post("/api/items/{id}", change_item);
    app.get("/api/me", show_user);
  }
}

/// 8080: HTTP/1.1; 8081: HTTP/1.1 with TLS; 8082: HTTP/2 without TLS; 8443: HTTP/2 and HTTP/1.1
/// with TLS; 9000: TLS with a certificate that is replaced while the server runs.
ServerOptions addresses(const std::string& root) {
  const std::string host = "0.0.0.0";
  ServerOptions options{.host = host, .port = 8080};
  options.additional_addresses.push_back(
      {.host = host, .port = 8082, .versions = HttpVersions::http2});
  const std::string certificates = root + "certs/server";
  if (std::filesystem::exists(certificates + ".crt")) {
    options.certificate = certificates + ".crt";
    options.key = certificates + ".key";
    options.additional_addresses.push_back(
        {.host = host, .port = 8081, .is_secure = true, .versions = HttpVersions::http1});
    options.additional_addresses.push_back({.host = host, .port = 8443, .is_secure = true});
  }
  const std::string replaced = root + "certs-tls/server";
  if (std::filesystem::exists(replaced + ".crt")) {
    options.additional_addresses.push_back({.host = host,
                                            .port = 9000,
                                            .is_secure = true,
                                            .versions = HttpVersions::http1,
                                            .certificate = replaced + ".crt",
                                            .key = replaced + ".key"});
  }
  return options;
}

int serve(const std::string& root) {
  App app;
  add_tls(app);
  add_http2(app);
  app.get("/baseline11", sum);
  app.post("/baseline11", sum_with_body);
  app.get("/baseline2", sum);
  app.get("/pipeline", [] { return "ok"; });
  app.get("/delay/{ms}", delay);
  app.state(read_dataset(root + "data/dataset.json"));
  app.get("/json/{count}", priced_items).use(compression());
  app.get("/public/baseline", sum);
  app.get("/public/json/{count}", priced_items);
  app.post("/upload", count_bytes).body_bytes_max(kUploadBytesMax);
  app.post("/echo", echo);
  app.ws("/ws", echo_messages());
  // HttpArena mounts only the files and certificates of the profiles that it runs.
  if (const std::string files = root + "data/static"; std::filesystem::exists(files)) {
    serve_files(app, "/static", files);
  }
  if (const std::string url = variable("DATABASE_URL", ""); !url.empty()) {
    add_database(app, url);
  }
  return app.serve(addresses(root));
}

void add_proxies(App& app) {
  const std::string server = "http://127.0.0.1:8080";
  const std::string auth = variable("AUTH_URL", "");
  if (auth.empty()) {
    proxy_to(app, "/", {server});
    return;
  }
  Routes open = app.group("/public");
  open.guard([] { return UpstreamHeaders().set("X-User-Id"); });  // removes the client's
  proxy_to(open, "/", {server});
  Routes api = app.group("/api");
  api.guard(forward_auth(auth, {.response_headers = {"X-User-Id"}}));
  proxy_to(api, "/", {server});
}

int serve_edge(const std::string& root) {
  App app;
  add_tls(app);
  add_http2(app);
  serve_files(app, "/static", root + "data/static");
  add_proxies(app);
  ServerOptions options{.host = "0.0.0.0", .port = 8443, .is_secure = true};
  options.certificate = root + "certs/server.crt";
  options.key = root + "certs/server.key";
  return app.serve(options);
}

}  // namespace

}  // namespace httparena

int main(int argc, char** argv) {
  try {
    const std::string root = httparena::variable("HTTPARENA_ROOT", "") + "/";
    const bool is_edge = argc == 2 && std::string_view(argv[1]) == "edge";
    return is_edge ? httparena::serve_edge(root) : httparena::serve(root);
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "%s: %s\n", argv[0], failure.what());
    return 1;
  }
}
