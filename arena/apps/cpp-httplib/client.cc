// Asks one URL on so many kept connections by cpp-httplib: it waits for each answer, so that each
// connection has a thread.
//
//   httplib_client URL CONNECTIONS SECONDS BODY_BYTES
#include <httplib.h>

#include <thread>
#include <vector>

#include "../asking/asking.h"

namespace {

using arena::Asking;
using arena::AskingClock;
using arena::Tally;

void ask_until(const Asking& asking, AskingClock::time_point last, Tally& tally) {
  httplib::Client client(asking.host, asking.port);
  client.set_keep_alive(true);
  client.set_tcp_nodelay(true);
  do {
    const httplib::Result reply = asking.body.empty()
                                      ? client.Get(asking.path)
                                      : client.Post(asking.path, asking.body, "application/json");
    if (reply) {
      tally.judge(reply->status, reply->body);
    } else {
      tally.fail();
    }
  } while (AskingClock::now() < last);
}

}  // namespace

int main(int argc, char** argv) {
  const Asking asking = arena::read_asking(argc, argv);
  Tally sum;
  const auto last = arena::last_begin(asking);
  std::vector<Tally> tallies(static_cast<std::size_t>(asking.connections));
  std::vector<std::thread> threads;
  for (Tally& tally : tallies) {
    threads.emplace_back([&] { ask_until(asking, last, tally); });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  for (const Tally& tally : tallies) {
    sum.add(tally);
  }
  sum.print();
}
