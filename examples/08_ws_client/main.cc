// A WebSocket client: sends the lines of standard input as messages, and prints the responses.
//   ./07_websocket --port 8080 & ./08_ws_client ws://127.0.0.1:8080/echo
//   ./10_http2 --port 8081 & ./08_ws_client ws://127.0.0.1:8081/socket http://127.0.0.1:8081/
// The second form requests a page first, with HTTP/2: the WebSocket is a stream of the same
// connection.
#include <eider/client.h>
#include <eider/runtime.h>

#include <cstdio>
#include <iostream>
#include <optional>
#include <string>
#include <string_view>

using namespace eider;

namespace {

void print(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fputc('\n', stdout);
  std::fflush(stdout);
}

std::optional<std::string> next_line() {
  std::string line;
  return std::getline(std::cin, line) ? std::optional(line) : std::nullopt;
}

/// Prints messages until either side ends the connection.
Task<> print_messages(WsClient& client) {
  while (auto message = co_await client.receive()) {
    print(message->is_text() ? message->bytes : "(binary)");
  }
  print("closed: " + std::to_string(static_cast<int>(client.close_code())));
}

Task<> send_lines(WsClient& client) {
  bool is_open = true;
  while (is_open) {
    const auto line = co_await run_blocking(&next_line);
    if (!line) {
      break;
    }
    is_open = co_await client.send(*line);
  }
}

Task<WsClient::Connected> connect(std::string url, std::string page) {
  if (page.empty()) {
    co_return co_await WsClient::connect(url);
  }
  HttpClient client({.http2 = Http2Use::always});
  const auto reply = co_await client.get(page);
  print(reply ? "page: " + std::to_string(reply->status()) : reply.error().text);
  co_return co_await client.websocket(url);  // may outlive the client
}

/// returns  the exit status
Task<int> talk(std::string url, std::string page) {
  auto client = co_await connect(url, page);
  if (!client) {
    print(client.error().text);
    co_return 1;
  }
  Scope listening;
  listening.start(print_messages(*client));
  co_await send_lines(*client);
  co_await client->close();
  co_await listening.join();
  co_return 0;
}

Task<> run(std::string url, std::string page, int& status) {
  status = co_await talk(url, page);
  Loop::current().stop();
}

}  // namespace

int main(int argc, char** argv) {
  const bool asks_for_help = argc == 2 && argv[1] == std::string_view("--help");
  if (asks_for_help || (argc != 2 && argc != 3)) {
    std::fputs("usage: 08_ws_client ws://127.0.0.1:8080/echo [http://127.0.0.1:8080/]\n",
               asks_for_help ? stdout : stderr);
    return asks_for_help ? 0 : 2;
  }
  const auto loop = Loop::create(Backend::automatic).value();
  BlockingPool pool({.threads_max = 1});
  loop->set_blocking_pool(&pool);
  int status = 1;
  Task<> all = run(argv[1], argc == 3 ? argv[2] : "", status);
  loop->post([&all] { all.start(); });
  loop->run();
  pool.stop();
  return status;
}
