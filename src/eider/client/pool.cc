#include "eider/client/pool.h"

#include <string>
#include <utility>

namespace eider::detail::client {

namespace {

bool is_of_h1(const PooledConnection& connection) noexcept {
  return connection.h1() != nullptr;
}

}  // namespace

void Lease::take(Lease& other) noexcept {
  own_ = std::move(other.own_);
  pool_ = other.pool_;
  host_ = std::move(other.host_);
  stream_ = std::move(other.stream_);
  exchange_ = std::exchange(other.exchange_, nullptr);
  is_reused_ = other.is_reused_;
}

void Lease::end() noexcept {
  exchange_ = nullptr;
  own_.give_back();
  if (stream_ != nullptr) {
    H2Connection& connection = stream_->connection();
    // Destroy the stream before the pool counts the connection's remaining streams.
    stream_.reset();
    pool_->leave_shared(*host_, connection);
    host_ = Connections::Use();
  }
}

Lease Pool::try_lease(const net::Route& route) {
  Host* const host = connections_.find(route.key);
  if (host == nullptr) {
    return {};
  }
  if (host->more.speech == Speech::h2) {
    // Calls that already wait have priority.
    return host->more.turns.is_any_ahead() ? Lease() : try_share(*host, takes_one_more);
  }
  auto idle = connections_.try_idle(*host, is_of_h1);
  return idle.is_held() ? Lease(std::move(idle)) : Lease();
}

Task<Result<Lease, ClientError>> Pool::lease(const net::Route& route, LeaseDue due, Reuse reuse,
                                             Rank rank) {
  return may_share(route) ? lease_shared(route, due, rank) : lease_own(route, due, reuse);
}

Task<Pool::Leased> Pool::lease_own(const net::Route& route, LeaseDue due, Reuse reuse) {
  auto lease = co_await connections_.lease(connections_.entry(route.key), due.connected);
  if (!lease) {
    co_return fail(no_room(route));
  }
  if (reuse == Reuse::welcome && lease->take_idle(is_of_h1)) {
    co_return Lease(std::move(*lease));
  }
  // Closes an idle connection of another host if needed: the limit counts both.
  lease->make_room();
  auto made = co_await connect(route, due, {"http/1.1"});
  if (!made) {
    co_return fail(std::move(made.error()));
  }
  co_return own(std::move(*lease), std::move(*made));
}

Lease Pool::own(Connections::Lease lease, net::Connection of) {
  lease.put(std::make_unique<PooledConnection>(
      std::make_unique<H1Connection>(reader_, std::move(of.stream))));
  return Lease(std::move(lease));
}

ClientError Pool::no_room(const net::Route& route) {
  return {ClientFault::timed_out, "All connections to " + route.host +
                                      " are in use: raise connections_per_host_max or "
                                      "connections_max, or send fewer requests at once."};
}

/// protocols  offered by ALPN with TLS
Task<Pool::Connected> Pool::connect(const net::Route& route, LeaseDue due,
                                    net::Protocols protocols) {
  auto made = co_await net_.connect(route, {due.connected, options_.handshake, due.whole},
                                    std::move(protocols));
  if (!made) {
    co_return fail(to_client_error(std::move(made.error())));
  }
  co_return std::move(*made);
}

}  // namespace eider::detail::client
