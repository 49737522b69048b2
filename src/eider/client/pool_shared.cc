// Pool: HTTP/2 connections, which calls share.
#include <algorithm>
#include <utility>

#include "eider/client/pool.h"
#include "eider/io/runtime/deadline.h"
#include "eider/io/runtime/loop.h"

namespace eider::detail::client {

namespace {

/// One call finds out the protocol of a host, or opens another connection. Other calls wait for it,
/// and continue if it is canceled.
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

/// Returns a predicate for HTTP/2 connections that satisfy `is`.
auto of_h2(bool (*is)(const H2Connection& connection) noexcept) {
  return [is](const PooledConnection& one) { return one.h2() != nullptr && is(*one.h2()); };
}

}  // namespace

bool Pool::takes_one_more(const H2Connection& connection) noexcept {
  return connection.is_of_use() && connection.has_room();
}

bool Pool::may_share(const net::Route& route) const noexcept {
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

net::Protocols Pool::offered() const {
  return options_.http2 == Http2Use::always ? net::Protocols{"h2"}
                                            : net::Protocols{"h2", "http/1.1"};
}

/// Without TLS there is no negotiation: only Http2Use::always shares such connections.
bool Pool::speaks_h2(const net::Route& route, const net::Connection& of) const noexcept {
  return !route.is_secure || of.protocol == "h2";
}

Task<Pool::Leased> Pool::lease_shared(const net::Route& route, LeaseDue due, Rank rank) {
  Host& host = connections_.entry(route.key);
  // The entry of the host must exist during this wait.
  const Connections::Use use(host);
  PoolHost& known = host.more;
  bool is_next = rank == Rank::moved || !known.turns.is_any_ahead();
  while (known.speech != Speech::h1) {
    Lease lease = is_next ? try_share(host, takes_one_more) : Lease();
    if (lease.is_held()) {
      co_return lease;
    }
    if (is_next && may_open(host)) {
      co_return co_await open(route, host, due);
    }
    auto fault = co_await wait_for_turn(route, host, due.connected, rank);
    if (fault) {
      co_return fail(std::move(*fault));
    }
    // It was woken, so no other call is before it any more.
    is_next = true;
  }
  co_return co_await lease_own(route, due, Reuse::welcome);
}

/// Shares a connection with streams, or else an idle one, if the limits permit.
Lease Pool::try_share(Host& host, Fits fits) {
  if (Lease lease = share_used(host, fits); lease.is_held()) {
    return lease;
  }
  auto idle = connections_.try_idle(host, of_h2(fits));
  return idle.is_held() ? share_unused(host, std::move(idle)) : Lease();
}

Lease Pool::share_used(Host& host, Fits fits) {
  for (Connections::Lease& one : host.more.shared) {
    if (fits(*one->h2())) {
      return share(host, *one->h2());
    }
  }
  return {};
}

Lease Pool::try_websocket(const net::Route& route) {
  Host* const host = connections_.find(route.key);
  if (host == nullptr || host->more.turns.is_any_ahead()) {
    return {};
  }
  return try_share(*host, [](const H2Connection& connection) noexcept {
    return connection.allows_websockets() && takes_one_more(connection);
  });
}

Lease Pool::share(Host& host, H2Connection& connection) {
  Lease lease(*this, host, connection.open_stream());
  // Other waiting calls may use the same connection.
  connection.wake_waiting();
  return lease;
}

Lease Pool::share_unused(Host& host, Connections::Lease connection) {
  return share(host, *host.more.shared.emplace_back(std::move(connection))->h2());
}

/// Returns whether to open another connection: if there is none, or if all are full and the limits
/// permit one more at once. (A server that allows no streams at all gets no further connection.)
/// Also true if one is idle and its place was taken meanwhile.
bool Pool::may_open(const Host& host) const noexcept {
  if (host.more.is_opening) {
    return false;
  }
  if (host.has_idle(of_h2(takes_one_more))) {
    return true;
  }
  const bool has_unused = host.has_idle([](const PooledConnection& one) { return one.is_idle(); });
  const bool is_any_of_use =
      has_unused || std::ranges::any_of(host.more.shared, [](const Connections::Lease& one) {
        return one->h2()->is_of_use();
      });
  return !is_any_of_use || (!has_unused && connections_.free_leases(host) != 0);
}

Task<Pool::Leased> Pool::open(const net::Route& route, Host& host, LeaseDue due) {
  const Opening opening(host.more);
  auto lease = co_await connections_.lease(host, due.connected);
  if (!lease) {
    co_return fail(no_room(route));
  }
  // Streams may have ended during the wait, so that no new connection is needed.
  if (Lease shared = share_used(host, takes_one_more); shared.is_held()) {
    co_return shared;
  }
  if (lease->take_idle(of_h2(takes_one_more))) {
    co_return share_unused(host, std::move(*lease));
  }
  lease->make_room();
  auto made = co_await connect(route, due, offered());
  if (!made) {
    // A timeout may be due to this call's own deadline.
    if (made.error().fault != ClientFault::timed_out) {
      host.more.turns.fail_all(made.error());
    }
    co_return fail(std::move(made.error()));
  }
  co_return settle(route, host, std::move(*lease), std::move(*made));
}

Pool::Leased Pool::settle(const net::Route& route, Host& host, Connections::Lease lease,
                          net::Connection of) {
  PoolHost& known = host.more;
  // All waiting calls check again: they share this connection, or open one each.
  known.turns.wake_all();
  if (speaks_h2(route, of)) {
    known.speech = Speech::h2;
    lease.put(std::make_unique<PooledConnection>(std::make_unique<H2Connection>(
        std::move(of.stream), options_, known.early_streams, known.turns)));
    return share_unused(host, std::move(lease));
  }
  if (options_.http2 == Http2Use::always) {
    return fail(ClientError{ClientFault::tls_failed, "The server does not support HTTP/2 (ALPN)."});
  }
  known.speech = Speech::h1;
  return own(std::move(lease), std::move(of));
}

Task<std::optional<ClientError>> Pool::wait_for_turn(const net::Route& route, Host& host,
                                                     Instant due, Rank rank) {
  TurnQueue::Turn turn(host.more.turns, rank);
  if (!co_await with_deadline(turn.come(), due - loop_.now())) {
    co_return no_room(route);
  }
  // Use up the wake-up here, or the destructor of the turn would pass it on.
  turn.use();
  co_return turn.fault();
}

/// Called when a stream has ended, so there is room for one more. After its last stream, the
/// connection is given back: it becomes idle or is closed, and its place is free.
void Pool::leave_shared(Host& host, H2Connection& connection) noexcept {
  PoolHost& known = host.more;
  if (connection.declines_h2() && options_.http2 != Http2Use::always) {
    known.speech = Speech::h1;
    known.turns.wake_all();
  }
  // At least one, because a connection without streams would never receive a new limit.
  known.early_streams = std::max(1U, connection.streams_allowed().value_or(known.early_streams));
  connection.wake_waiting();
  // Must be last: the connection may be destroyed.
  if (connection.streams() == 0) {
    std::erase_if(known.shared,
                  [&connection](Connections::Lease& one) { return one->h2() == &connection; });
  }
}

}  // namespace eider::detail::client
