#include "eider/client/detail/pool.h"

#include <algorithm>
#include <utility>

#include "eider/runtime/deadline.h"
#include "eider/runtime/loop.h"

namespace eider::detail {

void Lease::give_back() noexcept {
  if (connection_ == nullptr) {
    return;
  }
  connection_->finish();
  if (connection_->is_idle()) {
    pool_->keep(permits_.host(), std::move(connection_));
  }
  connection_.reset();
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
  if (found == hosts_.end() || found->second.idle.empty()) {
    return {};
  }
  PoolPermits permits = try_permits(found->second);
  if (!permits.are_held()) {
    return {};
  }
  auto connection = take_idle(found->second);
  return connection == nullptr ? Lease()
                               : Lease(*this, std::move(permits), std::move(connection), true);
}

Task<Result<Lease, ClientError>> Pool::lease(const Route& route, LeaseDue due, Reuse reuse) {
  auto waiting = permits_until(host_of(route), due.connected);
  auto permits = co_await std::move(waiting);
  if (!permits) {
    co_return fail(
        ClientError{ClientFault::timed_out, "All connections to " + route.host +
                                                " are in use: raise connections_per_host_max or "
                                                "connections_max, or ask for less at once."});
  }
  if (reuse == Reuse::welcome) {
    if (auto idle = take_idle(permits->host())) {
      co_return Lease(*this, std::move(*permits), std::move(idle), true);
    }
  }
  make_room();
  auto connecting = connect(route, due);
  auto connection = co_await std::move(connecting);
  if (!connection) {
    co_return fail(std::move(connection.error()));
  }
  co_return Lease(*this, std::move(*permits), std::move(*connection), false);
}

Task<Pool::Connected> Pool::connect(const Route& route, LeaseDue due) {
  auto dialling = dialler_.dial(route, due.connected);
  auto fd = co_await std::move(dialling);
  if (!fd) {
    co_return fail(std::move(fd.error()));
  }
  if (!route.is_secure) {
    co_return std::make_unique<H1Connection>(loop_, reader_, std::move(*fd), nullptr);
  }
  auto seal = sealer_.seal_for(route.host, route.port);
  if (!seal) {
    co_return fail(std::move(seal.error()));
  }
  auto connection =
      std::make_unique<H1Connection>(loop_, reader_, std::move(*fd), std::move(*seal));
  connection->set_deadline(std::min(loop_.now() + options_.handshake, due.whole),
                           "The server does not agree on encryption in time: raise handshake.");
  co_await connection->until(News::secured);
  connection->clear_deadline();
  if (connection->has_failed()) {
    co_return fail(connection->error());
  }
  co_return std::move(connection);
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
  if (!is_armed()) {
    loop_.arm(*this, loop_.now() + options_.idle);
  }
}

std::size_t Pool::idle_connections() const noexcept {
  std::size_t count = 0;
  for (const auto& [key, host] : hosts_) {
    count += host.idle.size();
  }
  return count;
}

/// Closes idle ones of any host, so that one more is within the limit.
void Pool::make_room() noexcept {
  const std::size_t in_use = options_.connections_max - permits_.available();
  std::size_t idle = idle_connections();
  for (auto at = hosts_.begin(); at != hosts_.end() && in_use + idle > options_.connections_max;) {
    auto& connections = at->second.idle;
    if (connections.empty()) {
      ++at;
      continue;
    }
    connections.erase(connections.begin());
    --idle;
  }
}

/// Some may have been idle for too long: they go, and hosts that nobody uses.
void Pool::expire() {
  const Instant now = loop_.now();
  std::optional<Instant> oldest;
  for (auto& [key, host] : hosts_) {
    std::erase_if(host.idle, [&](const auto& connection) {
      return !connection->is_idle() || now - connection->idle_since() >= options_.idle;
    });
    for (const auto& connection : host.idle) {
      oldest = std::min(oldest.value_or(connection->idle_since()), connection->idle_since());
    }
  }
  std::erase_if(hosts_, [](const auto& entry) {
    return entry.second.users == 0 && entry.second.idle.empty();
  });
  if (oldest) {
    loop_.arm(*this, *oldest + options_.idle);
  }
}

}  // namespace eider::detail
