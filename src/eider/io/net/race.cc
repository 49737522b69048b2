#include "eider/io/net/race.h"

#include <algorithm>
#include <utility>

#include "eider/io/runtime/connect.h"
#include "eider/io/runtime/deadline.h"
#include "eider/io/runtime/loop.h"
#include "eider/io/runtime/scope.h"
#include "eider/io/runtime/sync.h"

namespace eider::net {

namespace {

struct Attempts {
  Event news;
  Result<Descriptor, NetError> result = fail(NetError::timed_out);
  std::size_t running = 0;
};

Task<> attempt(Attempts& all, Address address, Instant due) {
  // The count rises before the wait, so that `race` sees an attempt that goes on.
  ++all.running;
  auto connecting = connect(address, due - Loop::current().now());
  auto fd = co_await connecting;
  // The attempt is over before its result is looked at.
  --all.running;
  // The first that is connected wins; a later failure must not hide it.
  if (!all.result) {
    all.result = std::move(fd);
  }
  all.news.set();
}

Task<> news_of(Event& event) {
  co_await event.wait();
}

}  // namespace

std::vector<std::string> interleaved(const std::vector<std::string>& v6,
                                     const std::vector<std::string>& v4) {
  std::vector<std::string> all;
  for (std::size_t index = 0; index < std::max(v6.size(), v4.size()); ++index) {
    if (index < v6.size()) {
      all.push_back(v6[index]);
    }
    if (index < v4.size()) {
      all.push_back(v4[index]);
    }
  }
  all.resize(std::min(all.size(), kAddressesMax));
  return all;
}

Task<Result<Descriptor, NetError>> race(std::vector<Address> addresses, Instant due,
                                        Duration delay) {
  Attempts all;
  Scope scope;  // destroyed first: what still runs refers to `all`
  const Loop& loop = Loop::current();
  for (std::size_t next = 0; next < addresses.size() || all.running != 0;) {
    const bool has_next = next < addresses.size();
    if (has_next) {
      scope.start(attempt(all, addresses[next++], due));
    }
    // The others are destroyed with the scope as soon as one is connected.
    if (all.result || loop.now() >= due) {
      break;
    }
    // News may have come while the attempt was begun.
    if (!all.news.is_set()) {
      const Duration left = due - loop.now();
      auto waiting =
          with_deadline(news_of(all.news), next < addresses.size() ? std::min(delay, left) : left);
      co_await std::move(waiting);
    }
    // It is reset behind the wait: attempts that end from here on are news again.
    all.news.reset();
  }
  co_return std::move(all.result);
}

}  // namespace eider::net
