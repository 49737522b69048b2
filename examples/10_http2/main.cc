// HTTP/2 and HTTP/1.1 on one port, with all kinds of handlers and no version-specific code.
//
//   ./10_http2 --port 8080
//   curl --http2-prior-knowledge localhost:8080/        nghttp -ans http://localhost:8080/page
#include <eider/eider.h>
#include <eider/files.h>
#include <eider/http2.h>
#include <eider/tls.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>

using namespace eider;

namespace {

constexpr std::size_t kUploadBytesMax = std::size_t{1} << 30;

/// Sends this number of bytes, generated while sending.
Task<> count_up(std::uint64_t bytes, ResponseStream out) {
  const std::string piece(16UL * 1024, 'x');
  out.add_trailer("Sent-Bytes", std::to_string(bytes));
  while (bytes != 0) {
    const std::uint64_t now = std::min<std::uint64_t>(bytes, piece.size());
    co_await out.write(std::string_view(piece).substr(0, now));
    bytes -= now;
  }
}

/// Returns the size of the body; the client cannot send faster than this loop reads.
Task<std::string> measure(BodyStream body) {
  std::uint64_t bytes = 0;
  while (true) {
    const auto part = co_await body.next();
    if (!part) {
      co_return std::to_string(bytes);
    }
    bytes += part->size();
  }
}

Task<> tick(EventStream events) {
  for (int number = 1;; ++number) {
    const std::string text = std::to_string(number);
    co_await events.send({.event = "tick", .data = text, .id = text});
    co_await sleep_for(std::chrono::milliseconds(100));
  }
}

/// With HTTP/2, this is another stream of the same connection (RFC 8441).
Task<> repeat(WebSocket socket) {
  while (true) {
    const auto message = co_await socket.receive();
    if (!message) {
      co_return;
    }
    co_await socket.send(*message);
  }
}

/// Sends the number of received messages when a message asks for it.
Task<> count_messages(WebSocket socket) {
  for (std::uint64_t count = 0;; ++count) {
    const auto message = co_await socket.receive();
    if (!message) {
      co_return;
    }
    if (message->bytes == "how many?") {
      const std::string text = std::to_string(count);
      co_await socket.send(text);
    }
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

struct Options {
  std::optional<std::string> files = {};

  static constexpr OptionText kOptions[] = {{"files", "Directory to serve at /files", "DIRECTORY"}};
};

App make_app(const Options& own) {
  App app;
  add_http2(app);
  add_tls(app);  // with --tls-port: clients that can choose HTTP/2 by ALPN
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
  app.ws("/messages", count_messages);
  app.get("/cookies",
          [](Request& request) { return std::string(request.header("cookie").value_or("none")); });
  if (own.files) {
    serve_files(app, "/files", *own.files);
  }
  return app;
}

}  // namespace

int main(int argc, char** argv) {
  return run_app<Options>("http2", argc, argv, make_app);
}
