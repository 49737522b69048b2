// HTTP/2 beside HTTP/1.1 on one port: every kind of handler, without a word about the version.
//
//   ./10_http2 --port 8080
//   curl --http2-prior-knowledge localhost:8080/        nghttp -ans http://localhost:8080/page
#include <eider/eider.h>
#include <eider/files/files.h>
#include <eider/http2/http2.h>
#include <eider/tls/tls.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>

using namespace eider;

namespace {

constexpr std::size_t kUploadBytesMax = std::size_t{1} << 30;

/// So many bytes, made while they are sent.
Task<> count_up(std::uint64_t bytes, ResponseStream out) {
  const std::string piece(16UL * 1024, 'x');
  out.add_trailer("Sent-Bytes", std::to_string(bytes));
  while (bytes != 0) {
    const std::uint64_t now = std::min<std::uint64_t>(bytes, piece.size());
    auto written = out.write(std::string_view(piece).substr(0, now));
    co_await written;
    bytes -= now;
  }
}

/// The content's size; the client sends no faster than this takes it.
Task<std::string> measure(BodyStream body) {
  std::uint64_t bytes = 0;
  while (true) {
    auto next = body.next();
    const auto part = co_await next;
    if (!part) {
      co_return std::to_string(bytes);
    }
    bytes += part->size();
  }
}

Task<> tick(EventStream events) {
  for (int number = 1;; ++number) {
    const std::string text = std::to_string(number);
    auto sent = events.send({.event = "tick", .data = text, .id = text});
    co_await sent;
    co_await sleep_for(std::chrono::milliseconds(100));
  }
}

/// Over HTTP/2 this is one more stream of the connection (RFC 8441).
Task<> repeat(WebSocket socket) {
  while (true) {
    auto next = socket.receive();
    const auto message = co_await next;
    if (!message) {
      co_return;
    }
    auto sent = socket.send(*message);
    co_await sent;
  }
}

Task<std::string> sleep_a_while(int milliseconds) {
  co_await sleep_for(std::chrono::milliseconds(milliseconds));
  co_return "slept";
}

std::string page(EarlyHints hints) {
  hints.link("</style.css>; rel=preload; as=style").send();
  return "<!doctype html><link rel=stylesheet href=/style.css><title>HTTP/2</title>";
}

}  // namespace

int main(int argc, char** argv) {
  App app;
  enable_http2(app);
  enable_tls(app);  // with --tls-port: clients that can choose HTTP/2 by ALPN
  app.get("/", [] { return "Hello, whatever the version"; });
  app.get("/hello/{name}", [](std::string_view name) { return "Hello " + std::string(name); });
  app.get("/page", page);
  app.post("/echo", [](Request& request) { return std::string(request.body()); });
  app.post("/measure", measure).body_bytes_max(kUploadBytesMax);
  app.get("/count/{bytes}", count_up);
  app.get("/bytes/{count}", [](std::uint32_t count) { return std::string(count, 'b'); });
  app.get("/slow/{milliseconds}", sleep_a_while);
  app.get("/blocking", blocking([] { return "from another thread"; }));
  app.get("/ticks", tick);
  app.ws("/socket", repeat);
  app.get("/cookies",
          [](Request& request) { return std::string(request.header("cookie").value_or("none")); });
  if (const char* const directory = std::getenv("FILES")) {
    serve_files(app, "/files", directory);
  }
  return app.run(argc, argv);
}
