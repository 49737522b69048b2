// Pool: connections of HTTP/2, which calls share.
#include <algorithm>
#include <utility>

#include "eider/client/detail/pool.h"
#include "eider/runtime/deadline.h"
#include "eider/runtime/loop.h"

namespace eider::detail {

namespace {

/// One finds out what a host speaks, or opens one more connection; whoever needs that too waits
/// for it, and goes on when it is given up.
class Opening {
 public:
  explicit Opening(PoolHost& host) noexcept : host_(host) { host.is_opening = true; }
  Opening(const Opening&) = delete;
  Opening& operator=(const Opening&) = delete;
  ~Opening() {
    host_.is_opening = false;
    host_.turns.wake_one();
  }

 private:
  PoolHost& host_;
};

Task<> wait(Event& event) {
  co_await event.wait();
}

bool takes_one_more(const SharedConnection& one) noexcept {
  return one.connection->is_of_use() && one.connection->has_room();
}

}  // namespace

bool Pool::may_share(const Route& route) const noexcept {
  switch (options_.http2) {
    case Http2Use::never:
      return false;
    case Http2Use::negotiated:
      return route.is_secure;
    case Http2Use::always:
      return !route.asks_proxy();
  }
  return false;
}

Sealer::Protocols Pool::offered() const {
  return options_.http2 == Http2Use::always ? Sealer::Protocols{"h2"}
                                            : Sealer::Protocols{"h2", "http/1.1"};
}

bool Pool::speaks_h2(const Wire& wire) const noexcept {
  return wire.protocol() == "h2" || (wire.stream().is_open() && wire.stream().seal() == nullptr);
}

Task<Pool::Leased> Pool::lease_shared(const Route& route, LeaseDue due, Rank rank) {
  PoolHost& host = host_of(route);
  const HostUse use(host);
  bool is_next = rank == Rank::moved || !host.turns.is_any_ahead();
  while (host.speech != Speech::h1) {
    Lease lease = is_next ? try_share(host) : Lease();
    if (lease.is_held()) {
      co_return lease;
    }
    if (is_next && may_open(host)) {
      auto opening = open(route, host, due);
      co_return co_await std::move(opening);
    }
    auto waiting = wait_for_turn(route, host, due.connected, rank);
    auto fault = co_await std::move(waiting);
    if (fault) {
      co_return fail(std::move(*fault));
    }
    is_next = true;
  }
  auto leasing = lease_own(route, due, Reuse::welcome);
  co_return co_await std::move(leasing);
}

Lease Pool::try_share(PoolHost& host) {
  for (SharedConnection& one : host.shared) {
    if (!takes_one_more(one)) {
      continue;
    }
    if (!one.permits.are_held()) {
      one.permits = try_permits(host);
    }
    if (one.permits.are_held()) {
      return share(host, *one.connection);
    }
  }
  return {};
}

Lease Pool::share(PoolHost& host, H2Connection& connection) {
  Lease lease(*this, HostUse(host), connection.open_stream());
  connection.wake_waiting();
  return lease;
}

/// One more is opened when there is none, or when all are full and there is room for one at once.
/// (A server that allows no request at all gets no further connection.) Also when one is idle, and
/// its place was taken meanwhile.
bool Pool::may_open(const PoolHost& host) const noexcept {
  if (host.is_opening) {
    return false;
  }
  bool is_any_of_use = false;
  for (const SharedConnection& one : host.shared) {
    if (takes_one_more(one)) {
      return true;
    }
    is_any_of_use |= one.connection->is_of_use();
  }
  const bool are_all_busy = std::ranges::all_of(
      host.shared, [](const SharedConnection& one) { return one.connection->streams() != 0; });
  return !is_any_of_use ||
         (are_all_busy && host.permits.available() != 0 && permits_.available() != 0);
}

Task<Pool::Leased> Pool::open(const Route& route, PoolHost& host, LeaseDue due) {
  const Opening opening(host);
  auto waiting = permits_until(host, due.connected);
  auto permits = co_await std::move(waiting);
  if (!permits) {
    co_return fail(no_room(route));
  }
  const auto idle = std::ranges::find_if(host.shared, takes_one_more);
  if (idle != host.shared.end()) {
    if (!idle->permits.are_held()) {
      idle->permits = std::move(*permits);
    }
    co_return share(host, *idle->connection);
  }
  make_room();
  auto connecting = connect(route, due, offered());
  auto wire = co_await std::move(connecting);
  if (!wire) {
    if (wire.error().fault != ClientFault::timed_out) {  // which may be this one's own hurry
      host.turns.fail_all(wire.error());
    }
    co_return fail(std::move(wire.error()));
  }
  co_return settle(host, std::move(*permits), std::move(*wire));
}

Pool::Leased Pool::settle(PoolHost& host, PoolPermits permits, std::unique_ptr<Wire> wire) {
  host.turns.wake_all();
  if (speaks_h2(*wire)) {
    host.speech = Speech::h2;
    SharedConnection& made = host.shared.emplace_back(
        std::make_unique<H2Connection>(std::move(wire), options_, host.early_streams, host.turns),
        std::move(permits));
    return share(host, *made.connection);
  }
  if (options_.http2 == Http2Use::always) {
    return fail(
        ClientError{ClientFault::tls_failed, "The server does not agree on HTTP/2 (ALPN)."});
  }
  host.speech = Speech::h1;
  return Lease(*this, std::move(permits), std::make_unique<H1Connection>(reader_, std::move(wire)),
               false);
}

Task<std::optional<ClientError>> Pool::wait_for_turn(const Route& route, PoolHost& host,
                                                     Instant due, Rank rank) {
  TurnQueue::Turn turn(host.turns, rank);
  auto waiting = with_deadline(wait(turn.come()), due - loop_.now());
  const bool has_come = co_await std::move(waiting);
  if (!has_come) {
    co_return no_room(route);
  }
  turn.use();
  co_return turn.fault();
}

/// A stream has ended: there is room for one more, and an idle connection gives its place away.
void Pool::leave_shared(PoolHost& host, H2Connection& connection) noexcept {
  if (connection.declines_h2() && options_.http2 != Http2Use::always) {
    host.speech = Speech::h1;
    host.turns.wake_all();
  }
  // One that allows none would never say so again.
  host.early_streams = std::max(1U, connection.streams_allowed().value_or(host.early_streams));
  connection.wake_waiting();
  if (connection.streams() != 0) {
    return;
  }
  const auto one = std::ranges::find_if(host.shared, [&](const SharedConnection& each) {
    return each.connection.get() == &connection;
  });
  const PoolPermits permits = std::move(one->permits);
  if (connection.is_of_use()) {
    arm_for_idle();
  } else {
    connection.close();
    host.shared.erase(one);
  }
}

}  // namespace eider::detail
