// A WebSocket client: sends the lines of its standard input as messages, prints what comes back.
//   ./08_ws_client ws://127.0.0.1:8080/echo
#include <eider/client/ws_client.h>
#include <eider/runtime/blocking.h>
#include <eider/runtime/loop.h>
#include <eider/runtime/scope.h>

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

/// Until the server ends the connection, or we do.
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

/// returns  the exit status
Task<int> talk(std::string url) {
  auto connecting = WsClient::connect(url);
  auto client = co_await std::move(connecting);
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

Task<> run(std::string url, int& status) {
  status = co_await talk(url);
  Loop::current().stop();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: 08_ws_client ws://127.0.0.1:8080/echo\n", stderr);
    return 2;
  }
  const auto loop = Loop::create(Backend::automatic).value();
  BlockingPool pool({.threads_max = 1});
  loop->set_blocking_pool(&pool);
  int status = 1;
  Task<> all = run(argv[1], status);
  loop->post([&all] { all.start(); });
  loop->run();
  pool.stop();
  return status;
}
