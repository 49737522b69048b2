// Sends requests to one URL on some keep-alive connections with aeronet's client, which is
// synchronous, so that each connection has a client and a thread.
//
//   client URL CONNECTIONS SECONDS BODY_BYTES
#include <aeronet/aeronet-client.hpp>
#include <cstddef>
#include <thread>
#include <vector>

#include "../asking/asking.h"

namespace {

using arena::Asking;
using arena::AskingClock;
using arena::Tally;

void send_until(const Asking& asking, AskingClock::time_point last, Tally& tally) {
  aeronet::HttpClient client;
  do {
    const auto response = asking.body.empty()
                              ? client.get(asking.url)
                              : client.post(asking.url, asking.body, "application/json");
    if (response) {
      tally.judge(response->status(), response->bodyInMemory());
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
    threads.emplace_back([&] { send_until(asking, last, tally); });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  for (const Tally& tally : tallies) {
    sum.add(tally);
  }
  sum.print();
}
