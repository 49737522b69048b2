// An HTTP client for the command line: prints the response of a URL, or orders tea from 02_json.
//   ./09_client get http://127.0.0.1:8080/
//   ./09_client order http://127.0.0.1:8080/orders tea 3
//   ./09_client send http://127.0.0.1:8080/measure 1000000        (bytes, generated while sending)
//   ./09_client load http://127.0.0.1:8080/ 64 5        (concurrent requests, seconds)
// Before the command, --http1 or --http2 selects a version; default: https:// servers choose.
#include <eider/client.h>
#include <eider/runtime.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "load.h"

using namespace eider;

namespace {

/// As in requests and responses of 02_json.
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

/// Returns nothing if the text is not a number, or out of range.
template <class T>
std::optional<T> read_number(std::string_view text, T min = 0) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool is_all = error == std::errc() && end == text.data() + text.size();
  return is_all && value >= min ? std::optional(value) : std::nullopt;
}

/// Sends a struct as JSON, and reads one from the response.
Task<int> order(HttpClient& client, std::string url, Order wish) {
  auto reply = co_await client.post_json(url, wish);
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

/// Prints a body of any size: only one piece at a time is in memory.
Task<int> print(HttpClient& client, std::string url) {
  auto reply = co_await client.request(Method::get, url).send_streamed();
  if (!reply) {
    co_return complain(reply.error().text);
  }
  for (;;) {
    const auto piece = co_await reply->next();
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

/// Returns the next piece of a body, and subtracts its size from `bytes`.
Task<std::string> next_piece(std::size_t& bytes) {
  const std::size_t now = std::min(bytes, std::size_t{16} * 1024);
  bytes -= now;
  co_return std::string(now, 'x');
}

/// Generates the body only as fast as the server reads it.
Task<int> send(HttpClient& client, std::string url, std::size_t bytes) {
  const auto reply = co_await client.request(Method::post, url)
                         .body_from([&bytes] { return next_piece(bytes); }, "text/plain")
                         .send();
  if (!reply) {
    co_return complain(reply.error().text);
  }
  std::fwrite(reply->body().data(), 1, reply->body().size(), stdout);
  co_return reply->is_ok() ? 0 : 1;
}

constexpr std::size_t kLoadConnectionsMax = 10000;
constexpr int kMisused = 2;
constexpr const char* kUsage =
    "usage: 09_client [--http1 | --http2] get URL | order URL ITEM COUNT | send URL BYTES | "
    "load URL CALLS SECONDS";

using Words = std::span<char* const>;

/// words    arguments after the command
/// returns  nothing if the arguments are invalid
std::optional<Task<int>> work(HttpClient& client, std::string_view what, Words words) {
  if (what == "get" && words.size() == 1) {
    return print(client, words[0]);
  }
  if (what == "send" && words.size() == 2) {
    const auto bytes = read_number<std::size_t>(words[1]);
    return bytes ? std::optional(send(client, words[0], *bytes)) : std::nullopt;
  }
  if (what == "load" && words.size() == 3) {
    const auto calls = read_number(words[1], 1);
    const auto seconds = read_number(words[2], 1);
    return calls && seconds
               ? std::optional(load(client, words[0], *calls, std::chrono::seconds(*seconds)))
               : std::nullopt;
  }
  if (what == "order" && words.size() == 3) {
    const auto count = read_number<int>(words[2]);
    return count ? std::optional(order(client, words[0], {words[1], *count, "cash"}))
                 : std::nullopt;
  }
  return std::nullopt;
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
  Words words(argv + 1, argv + argc);
  const std::string_view first = words.empty() ? "" : words[0];
  if (first == "--help") {
    std::puts(kUsage);
    return 0;
  }
  if (first == "--http1" || first == "--http2") {
    words = words.subspan(1);
  }
  const std::string_view what = words.empty() ? "" : words[0];
  const auto loop = Loop::create(Backend::automatic).value();
  HttpClient client(options_for(first, what));
  auto asked = words.empty() ? std::nullopt : work(client, what, words.subspan(1));
  if (!asked) {
    complain(kUsage);
    return kMisused;
  }
  int status = 1;
  Task<> all = run(std::move(*asked), status);
  loop->post([&all] { all.start(); });
  loop->run();
  all = Task<>();
  return status;
}
