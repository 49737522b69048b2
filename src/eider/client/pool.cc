#include "eider/client/detail/pool.h"

#include <algorithm>
#include <utility>

#include "eider/runtime/deadline.h"
#include "eider/runtime/loop.h"

namespace eider::detail {

namespace {

bool is_unused(const SharedConnection& one) noexcept {
  return one.connection->streams() == 0;
}

/// Closes an idle connection.
///
/// returns  whether there was one
bool close_one(PoolHost& host) noexcept {
  if (!host.idle.empty()) {
    host.idle.erase(host.idle.begin());
    return true;
  }
  const auto unused = std::ranges::find_if(host.shared, is_unused);
  if (unused == host.shared.end()) {
    return false;
  }
  unused->connection->close();
  host.shared.erase(unused);
  return true;
}

}  // namespace

void Lease::take(Lease& other) noexcept {
  pool_ = other.pool_;
  permits_ = std::move(other.permits_);
  connection_ = std::move(other.connection_);
  stream_ = std::move(other.stream_);
  exchange_ = std::exchange(other.exchange_, nullptr);
  is_reused_ = other.is_reused_;
}

void Lease::give_back() noexcept {
  exchange_ = nullptr;
  if (connection_ != nullptr) {
    connection_->finish();
    if (connection_->is_idle()) {
      pool_->keep(permits_.host(), std::move(connection_));
    }
    connection_.reset();
  } else if (stream_ != nullptr) {
    H2Connection& connection = stream_->connection();
    stream_.reset();
    pool_->leave_shared(permits_.host(), connection);
  } else {
    return;
  }
  permits_ = PoolPermits();
}

PoolHost& Pool::host_of(const Route& route) {
  return hosts_.try_emplace(route.key, options_.connections_per_host_max).first->second;
}

/// Those that wait come first, so this takes only what nobody waits for.
PoolPermits Pool::try_permits(PoolHost& host) {
  auto of_host = host.permits.try_acquire();
  if (!of_host.is_held()) {
    return {};
  }
  auto of_all = permits_.try_acquire();
  return {HostUse(host), std::move(of_host), std::move(of_all)};
}

Task<PoolPermits> Pool::wait_for_permits(PoolHost& host) {
  HostUse use(host);
  auto of_host = co_await host.permits.acquire();
  auto of_all = co_await permits_.acquire();
  co_return PoolPermits(std::move(use), std::move(of_host), std::move(of_all));
}

Task<std::optional<PoolPermits>> Pool::permits_until(PoolHost& host, Instant due) {
  PoolPermits permits = try_permits(host);
  if (permits.are_held()) {
    co_return permits;
  }
  permits = PoolPermits();
  auto waiting = with_deadline(wait_for_permits(host), due - loop_.now());
  co_return co_await std::move(waiting);
}

Lease Pool::try_lease(const Route& route) {
  const auto found = hosts_.find(route.key);
  if (found == hosts_.end()) {
    return {};
  }
  PoolHost& host = found->second;
  if (!host.shared.empty()) {
    return host.turns.is_any_ahead() ? Lease() : try_share(host);
  }
  if (host.idle.empty()) {
    return {};
  }
  PoolPermits permits = try_permits(host);
  if (!permits.are_held()) {
    return {};
  }
  auto connection = take_idle(host);
  return connection == nullptr ? Lease()
                               : Lease(*this, std::move(permits), std::move(connection), true);
}

Task<Result<Lease, ClientError>> Pool::lease(const Route& route, LeaseDue due, Reuse reuse,
                                             Rank rank) {
  return may_share(route) ? lease_shared(route, due, rank) : lease_own(route, due, reuse);
}

Task<Pool::Leased> Pool::lease_own(const Route& route, LeaseDue due, Reuse reuse) {
  auto waiting = permits_until(host_of(route), due.connected);
  auto permits = co_await std::move(waiting);
  if (!permits) {
    co_return fail(no_room(route));
  }
  if (reuse == Reuse::welcome) {
    if (auto idle = take_idle(permits->host())) {
      co_return Lease(*this, std::move(*permits), std::move(idle), true);
    }
  }
  make_room();
  auto connecting = connect(route, due, {"http/1.1"});
  auto wire = co_await std::move(connecting);
  if (!wire) {
    co_return fail(std::move(wire.error()));
  }
  co_return Lease(*this, std::move(*permits),
                  std::make_unique<H1Connection>(reader_, std::move(*wire)), false);
}

ClientError Pool::no_room(const Route& route) {
  return {ClientFault::timed_out,
          "All connections to " + route.host +
              " are in use: raise connections_per_host_max or connections_max, or ask for less at "
              "once."};
}

/// protocols  offered by ALPN where it is encrypted
Task<Pool::Connected> Pool::connect(const Route& route, LeaseDue due, Sealer::Protocols protocols) {
  auto dialling = dialler_.dial(route, due.connected);
  auto fd = co_await std::move(dialling);
  if (!fd) {
    co_return fail(std::move(fd.error()));
  }
  auto wire = std::make_unique<Wire>(loop_, std::move(*fd));
  if (!route.is_secure) {
    co_return std::move(wire);
  }
  auto seal = sealer_.seal_for(route.host, route.port, protocols);
  if (!seal) {
    co_return fail(std::move(seal.error()));
  }
  auto securing =
      wire->secure(std::move(*seal), std::min(loop_.now() + options_.handshake, due.whole));
  auto fault = co_await std::move(securing);
  // A protocol that was not offered must not be chosen (RFC 7301, section 3.2).
  const bool is_offered =
      wire->protocol().empty() || std::ranges::find(protocols, wire->protocol()) != protocols.end();
  if (!fault && !is_offered) {
    fault = {ClientFault::tls_failed, "The server wants to speak another protocol."};
  }
  if (fault) {
    co_return fail(std::move(*fault));
  }
  co_return std::move(wire);
}

std::unique_ptr<H1Connection> Pool::take_idle(PoolHost& host) noexcept {
  while (!host.idle.empty()) {
    auto connection = std::move(host.idle.back());
    host.idle.pop_back();
    if (connection->is_idle() && loop_.now() - connection->idle_since() < options_.idle) {
      return connection;
    }
  }
  return nullptr;
}

void Pool::keep(PoolHost& host, std::unique_ptr<H1Connection> connection) noexcept {
  host.idle.push_back(std::move(connection));
  arm_for_idle();
}

void Pool::arm_for_idle() noexcept {
  if (!is_armed()) {
    loop_.arm(*this, loop_.now() + options_.idle);
  }
}

std::size_t Pool::idle_connections() const noexcept {
  std::size_t count = 0;
  for (const auto& [key, host] : hosts_) {
    count += host.idle.size();
    count += static_cast<std::size_t>(std::ranges::count_if(host.shared, is_unused));
  }
  return count;
}

/// Closes idle ones of any host, so that one more is within the limit.
void Pool::make_room() noexcept {
  const std::size_t in_use = options_.connections_max - permits_.available();
  std::size_t idle = idle_connections();
  for (auto at = hosts_.begin(); at != hosts_.end() && in_use + idle > options_.connections_max;) {
    if (!close_one(at->second)) {
      ++at;
      continue;
    }
    --idle;
  }
}

/// Closes idle ones that are of no use any more.
///
/// returns  since when the one has been idle that has been for longest
std::optional<Instant> Pool::close_old(PoolHost& host, Instant before) noexcept {
  std::erase_if(host.idle, [&](const auto& connection) {
    return !connection->is_idle() || connection->idle_since() <= before;
  });
  std::erase_if(host.shared, [&](const SharedConnection& one) {
    const bool is_old =
        is_unused(one) && (!one.connection->is_of_use() || one.connection->idle_since() <= before);
    if (is_old) {
      one.connection->close();
    }
    return is_old;
  });
  std::optional<Instant> oldest;
  for (const auto& connection : host.idle) {
    oldest = std::min(oldest.value_or(connection->idle_since()), connection->idle_since());
  }
  for (const SharedConnection& one : host.shared) {
    if (is_unused(one)) {
      const Instant since = one.connection->idle_since();
      oldest = std::min(oldest.value_or(since), since);
    }
  }
  return oldest;
}

/// Some may have been idle for too long: they go, and hosts that nobody uses.
void Pool::expire() {
  const Instant now = loop_.now();
  std::optional<Instant> oldest;
  for (auto& [key, host] : hosts_) {
    if (const auto of_host = close_old(host, now - options_.idle)) {
      oldest = std::min(oldest.value_or(*of_host), *of_host);
    }
  }
  std::erase_if(hosts_, [](const auto& entry) {
    const PoolHost& host = entry.second;
    return host.users == 0 && host.idle.empty() && host.shared.empty();
  });
  if (oldest) {
    loop_.arm(*this, *oldest + options_.idle);
  }
}

}  // namespace eider::detail
