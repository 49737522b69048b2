// Asks one URL on so many kept connections, by Eider's client and nothing else.
//
//   arena_eider_client URL CONNECTIONS SECONDS BODY_BYTES [--backend auto|epoll|io_uring]
#include <eider/client.h>
#include <eider/runtime.h>

#include <string>
#include <utility>

#include "../asking/asking.h"

namespace {

using namespace eider;

HttpClient make_client(const arena::Asking& asking) {
  ClientOptions options;
  options.connections_max = options.connections_per_host_max =
      static_cast<std::size_t>(asking.connections);
  return HttpClient(options);
}

Task<HttpClient::Reply> ask(HttpClient& client, const arena::Asking& asking) {
  if (asking.body.empty()) {
    return client.get(asking.url);
  }
  return client.request(Method::post, asking.url).body(asking.body, "application/json").send();
}

/// One connection's worth of requests, one after the other.
Task<> ask_until(HttpClient& client, const arena::Asking& asking,
                 arena::AskingClock::time_point last, arena::Tally& tally) {
  do {
    const auto reply = co_await ask(client, asking);
    if (reply) {
      tally.judge(reply->status(), reply->body());
    } else {
      tally.fail();
    }
  } while (arena::AskingClock::now() < last);
}

Task<> ask_side_by_side(const arena::Asking& asking) {
  HttpClient client = make_client(asking);
  arena::Tally tally;
  const auto last = arena::last_begin(asking);
  Scope scope;
  for (int index = 0; index < asking.connections; ++index) {
    scope.start(ask_until(client, asking, last, tally));
  }
  co_await scope.join();
  tally.print();
  Loop::current().stop();
}

}  // namespace

int main(int argc, char** argv) {
  std::string backend = "auto";
  arena::CommandLine line;
  line.add("--backend", backend, {"auto", "epoll", "io_uring"});
  const arena::Asking asking = arena::read_asking(argc, argv, std::move(line));
  auto loop = Loop::create(*parse_backend(backend));
  if (!loop) {
    std::fprintf(stderr, "%s: no such backend here\n", argv[0]);
    return 1;
  }
  Task<> all = ask_side_by_side(asking);
  (*loop)->post([&all] { all.start(); });
  (*loop)->run();
  all = Task<>();
}
