// An HTTP client for the command line: prints what a URL has, or orders tea from 02_json.
//   ./09_client get http://127.0.0.1:8080/
//   ./09_client order http://127.0.0.1:8080/orders tea 3
//   ./09_client send http://127.0.0.1:8080/measure 1000000        (bytes, made while they are sent)
//   ./09_client load http://127.0.0.1:8080/ 64 5        (calls at once, seconds)
// Ahead of that, --http1 or --http2 forces a version; else https:// servers choose.
#include <eider/client/client.h>
#include <eider/runtime/loop.h>

#include <algorithm>
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

/// A piece of so many bytes that are still to be made.
Task<std::string> next_piece(std::size_t& bytes) {
  const std::size_t now = std::min(bytes, std::size_t{16} * 1024);
  bytes -= now;
  co_return std::string(now, 'x');
}

/// No more of it is made than the server takes.
Task<int> send(HttpClient& client, std::string url, std::size_t bytes) {
  auto sending = client.request(Method::post, url)
                     .body_from([&bytes] { return next_piece(bytes); }, "text/plain")
                     .send();
  const auto reply = co_await std::move(sending);
  if (!reply) {
    co_return complain(reply.error().text);
  }
  std::fwrite(reply->body().data(), 1, reply->body().size(), stdout);
  co_return reply->is_ok() ? 0 : 1;
}

constexpr std::size_t kLoadConnectionsMax = 10000;
constexpr std::string_view kUsage =
    "usage: 09_client [--http1 | --http2] get URL | order URL ITEM COUNT | send URL BYTES | "
    "load URL CALLS SECONDS";

/// words  what follows the command
Task<int> work(HttpClient& client, std::string_view what, char** words) {
  if (what == "get") {
    return print(client, words[0]);
  }
  if (what == "send") {
    return send(client, words[0], std::strtoull(words[1], nullptr, 10));
  }
  if (what == "load") {
    return load(client, words[0], std::atoi(words[1]), std::chrono::seconds(std::atoi(words[2])));
  }
  return order(client, words[0], {words[1], std::atoi(words[2]), "cash"});
}

bool is_usage(std::string_view what, int words) {
  return (what == "get" && words == 1) || (what == "send" && words == 2) ||
         ((what == "order" || what == "load") && words == 3);
}

ClientOptions options_for(std::string_view version, std::string_view what) {
  ClientOptions options;
  use_proxies_of_environment(options);
  if (version == "--http1") {
    options.http2 = Http2Use::never;
  } else if (version == "--http2") {
    options.http2 = Http2Use::always;
  }
  if (what == "load") {
    options.connections_max = options.connections_per_host_max = kLoadConnectionsMax;
  }
  return options;
}

Task<> run(Task<int> work, int& status) {
  status = co_await std::move(work);
  Loop::current().stop();
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view first = argc > 1 ? argv[1] : "";
  const int at = first == "--http1" || first == "--http2" ? 2 : 1;
  const std::string_view what = argc > at ? argv[at] : "";
  if (!is_usage(what, argc - at - 1)) {
    return complain(kUsage);
  }
  const auto loop = Loop::create(Backend::automatic).value();
  HttpClient client(options_for(first, what));
  int status = 1;
  Task<> all = run(work(client, what, argv + at + 1), status);
  loop->post([&all] { all.start(); });
  loop->run();
  all = Task<>();
  return status;
}
