// An HTTP client for the command line: prints what a URL has, or orders tea from 02_json.
//   ./09_client get http://127.0.0.1:8080/
//   ./09_client order http://127.0.0.1:8080/orders tea 3
//   ./09_client load http://127.0.0.1:8080/ 64 5        (connections, seconds)
#include <eider/client/client.h>
#include <eider/runtime/loop.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

#include "load.h"

using namespace eider;

namespace {

/// As 02_json takes and gives them.
struct Order {
  std::string item;
  int count = 1;
  std::string paid_with;
};
struct Receipt {
  std::string item;
  int cents = 0;
  std::string paid_with;
};

int complain(std::string_view text) {
  std::fprintf(stderr, "%.*s\n", static_cast<int>(text.size()), text.data());
  return 1;
}

/// One line out, one line in: structs both ways.
Task<int> order(HttpClient& client, std::string url, Order wish) {
  auto ordering = client.post_json(url, wish);
  auto reply = co_await std::move(ordering);
  if (!reply) {
    co_return complain(reply.error().text);
  }
  if (!reply->is_ok()) {
    co_return complain(reply->body());
  }
  const auto receipt = reply->json<Receipt>();
  if (!receipt) {
    co_return complain(receipt.error().detail());
  }
  std::printf("%s: %d cents\n", receipt->item.c_str(), receipt->cents);
  co_return 0;
}

/// However large it is: a piece at a time is in memory.
Task<int> print(HttpClient& client, std::string url) {
  auto asking = client.request(Method::get, url).send_streamed();
  auto reply = co_await std::move(asking);
  if (!reply) {
    co_return complain(reply.error().text);
  }
  for (;;) {
    auto taking = reply->next();
    const auto piece = co_await std::move(taking);
    if (!piece) {
      co_return complain(piece.error().text);
    }
    if (piece->empty()) {
      break;
    }
    std::fwrite(piece->data(), 1, piece->size(), stdout);
  }
  co_return reply->is_ok() ? 0 : complain("status " + std::to_string(reply->status()));
}

constexpr std::size_t kLoadConnectionsMax = 10000;

/// words  what follows the command
Task<int> work(HttpClient& client, std::string_view what, char** words) {
  if (what == "get") {
    return print(client, words[0]);
  }
  if (what == "load") {
    return load(client, words[0], std::atoi(words[1]), std::chrono::seconds(std::atoi(words[2])));
  }
  return order(client, words[0], {words[1], std::atoi(words[2]), "cash"});
}

Task<> run(Task<int> work, int& status) {
  status = co_await std::move(work);
  Loop::current().stop();
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view what = argc > 1 ? argv[1] : "";
  if (!(what == "get" && argc == 3) && !((what == "order" || what == "load") && argc == 5)) {
    return complain(
        "usage: 09_client get URL | order URL ITEM COUNT | load URL CONNECTIONS SECONDS");
  }
  const auto loop = Loop::create(Backend::automatic).value();
  ClientOptions options;
  use_proxies_of_environment(options);
  if (what == "load") {
    options.connections_max = options.connections_per_host_max = kLoadConnectionsMax;
  }
  HttpClient client(options);
  int status = 1;
  Task<> all = run(work(client, what, argv + 2), status);
  loop->post([&all] { all.start(); });
  loop->run();
  all = Task<>();
  return status;
}
