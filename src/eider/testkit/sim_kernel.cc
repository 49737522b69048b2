#include "eider/testkit/sim_kernel.h"

#include <poll.h>

#include <algorithm>

#include "eider/core/base/assert.h"
#include "eider/io/runtime/outside_calls.h"
#include "eider/io/runtime/stream_access.h"
#include "eider/testkit/loop_sim.h"
#include "eider/testkit/sim_connection.h"

namespace eider {

using detail::testkit::SimConnection;
using detail::testkit::SimPort;

namespace {

// Maximum number of turns at one time: more mean that something wakes itself endlessly.
constexpr std::size_t kTurnsMax = 5'000'000;
// In real time, for a silent server; then the time limits of the app apply.
constexpr int kOutsidePatienceMs = 60'000;

}  // namespace

// The client's end.

SimConnection& SimClient::connection() const {
  ensure(kernel_ != nullptr, "a simulated client without a connection");
  return kernel_->connection(index_);
}

void SimClient::send(std::string_view bytes) {
  SimConnection& connection = this->connection();
  kernel_->note('s', index_, bytes.size());
  if (connection.is_reset || connection.client_ended) {
    return;
  }
  if (connection.server_gone) {
    connection.is_reset = true;  // no socket exists: the other side responds with RST
    return;
  }
  connection.to_server.append(bytes);
  kernel_->notify(connection);
}

void SimClient::half_close() {
  kernel_->note('h', index_, 0);
  connection().client_ended = true;
  kernel_->notify(connection());
}

void SimClient::reset() {
  kernel_->note('r', index_, 0);
  connection().is_reset = true;
  kernel_->notify(connection());
}

void SimClient::close() noexcept {
  if (kernel_ == nullptr) {
    return;
  }
  SimConnection& connection = this->connection();
  connection.client_ended = true;
  connection.client_gone = true;
  if (!connection.to_client.empty()) {
    connection.is_reset = true;
  }
  kernel_->notify(connection);
  kernel_->release_if_unused(connection);
  kernel_ = nullptr;
}

std::string_view SimClient::received() const {
  return connection().to_client;
}

std::string SimClient::take_received() {
  SimConnection& connection = this->connection();
  std::string taken = std::exchange(connection.to_client, {});
  if (connection.is_blocked) {
    kernel_->notify(connection);
  }
  return taken;
}

void SimClient::set_window(std::size_t bytes) {
  connection().window_bytes = bytes;
  kernel_->notify(connection());
}

bool SimClient::is_refused() const {
  return connection().is_refused;
}

bool SimClient::is_closed() const {
  const SimConnection& connection = this->connection();
  return connection.server_ended || connection.server_gone || connection.is_reset;
}

bool SimClient::is_reset() const {
  return connection().is_reset;
}

// Connections.

SimKernel::SimKernel(std::uint64_t seed)
    : seed_(seed), random_(seed), now_(std::chrono::hours(1)) {}

SimKernel::~SimKernel() {
  ensure(loops_.empty(), "a simulated loop outlives its kernel");
}

SimConnection* SimKernel::connection_of(int fd) const noexcept {
  const auto index = static_cast<std::size_t>(fd - kFirstFd);
  return fd >= kFirstFd && index < connections_.size() ? connections_[index].get() : nullptr;
}

SimConnection& SimKernel::make_connection() {
  if (unused_.empty()) {
    connections_.push_back(std::make_unique<SimConnection>());
    connections_.back()->index = static_cast<std::uint32_t>(connections_.size() - 1);
    return *connections_.back();
  }
  const std::uint32_t index = unused_.back();
  unused_.pop_back();
  SimConnection& connection = *connections_[index];
  connection = SimConnection();
  connection.index = index;
  return connection;
}

void SimKernel::release_if_unused(SimConnection& connection) noexcept {
  if (connection.client_gone && connection.server_gone) {
    unused_.push_back(connection.index);
  }
}

void SimKernel::notify(SimConnection& connection) {
  if (connection.stream != nullptr) {
    connection.loop->queue(connection);
  }
}

void SimKernel::note(char what, std::uint64_t first, std::uint64_t second) noexcept {
  const auto time = static_cast<std::uint64_t>(now_.time_since_epoch().count());
  for (const std::uint64_t part : {static_cast<std::uint64_t>(what), first, second, time}) {
    fingerprint_ = SimRandom(fingerprint_ ^ part).next();
  }
}

SimPair SimKernel::connect_pair() {
  SimConnection& connection = make_connection();
  note('p', connection.index, 0);
  const int fd = kFirstFd + static_cast<int>(connection.index);
  return {SimClient(*this, connection.index), Descriptor(fd)};
}

SimClient SimKernel::connect(std::uint16_t port_number) {
  SimConnection& connection = make_connection();
  note('c', connection.index, 0);
  SimPort* port = choose_port(port_number);
  if (port == nullptr) {
    connection.is_refused = true;
    connection.is_reset = true;
    connection.server_gone = true;
  } else {
    port->backlog.push_back(connection.index);
    port->loop->queue(*port);
  }
  return SimClient(*this, connection.index);
}

std::size_t SimKernel::open_connections() const noexcept {
  return static_cast<std::size_t>(std::ranges::count_if(connections_, [](const auto& connection) {
    return !connection->client_gone && !connection->server_gone;
  }));
}

// If nothing is left to do, an accepted descriptor that no stream has opened was closed by its
// owner. The kernel is not notified of that, because it is not a real descriptor.
void SimKernel::drop_unopened() noexcept {
  for (const std::uint32_t index : unopened_) {
    SimConnection& connection = *connections_[index];
    if (connection.stream == nullptr && !connection.server_gone) {
      connection.server_gone = true;
      connection.is_reset = connection.is_reset || connection.unread_bytes() > 0;
      release_if_unused(connection);
    }
  }
  unopened_.clear();
}

// Listeners.

SimPort* SimKernel::port_of(const Listener& listener) const noexcept {
  const auto found =
      std::ranges::find(ports_, &listener, [](auto& port) { return port->listener; });
  return found == ports_.end() ? nullptr : found->get();
}

SimPort* SimKernel::choose_port(std::uint16_t number) noexcept {
  std::vector<SimPort*> sharing;
  for (const auto& port : ports_) {
    if (port->number == number && !port->is_closing) {
      sharing.push_back(port.get());
    }
  }
  if (sharing.empty()) {
    return nullptr;
  }
  return sharing.size() == 1 ? sharing.front() : sharing[random_.below(sharing.size())];
}

bool SimKernel::is_free(std::uint16_t number, PortSharing sharing) const noexcept {
  return std::ranges::none_of(ports_, [&](const auto& port) {
    return port->number == number && (sharing == PortSharing::exclusive || !port->is_shared);
  });
}

Result<ListeningSocket, NetError> SimKernel::bind(const SocketAddress& at, PortSharing sharing) {
  if (at.is_unix()) {
    return fail(NetError::not_supported);
  }
  std::uint16_t number = at.port();
  if (number == 0) {
    for (number = kFirstFreePort; !is_free(number, PortSharing::exclusive);) {
      ++number;
    }
  }
  if (!is_free(number, sharing)) {
    return fail(NetError::address_in_use);
  }
  const bool is_shared = sharing == PortSharing::shared;
  return ListeningSocket{Descriptor(is_shared ? kSharedListenerFd : kExclusiveListenerFd),
                         *SocketAddress::parse(at.host(), number)};
}

void SimKernel::listen(Listener& listener, SimLoop& loop) {
  SimPort* port = port_of(listener);
  if (port == nullptr) {
    ports_.push_back(std::make_unique<SimPort>());
    port = ports_.back().get();
    port->listener = &listener;
    port->loop = &loop;
    port->number = listener.port();
    port->is_shared = WatchAccess::fd(listener) == kSharedListenerFd;
  }
  port->is_resting = false;
  if (!port->backlog.empty()) {
    loop.queue(*port);
  }
}

void SimKernel::stop_listening(Listener& listener) noexcept {
  const auto found =
      std::ranges::find(ports_, &listener, [](auto& port) { return port->listener; });
  if (found == ports_.end()) {
    return;
  }
  (*found)->loop->forget(found->get());
  for (const std::uint32_t index : (*found)->backlog) {
    connections_[index]->is_reset = true;
    connections_[index]->server_gone = true;
    release_if_unused(*connections_[index]);
  }
  ports_.erase(found);
}

// Running.

void SimKernel::add(SimLoop& loop) {
  loops_.push_back(&loop);
}

void SimKernel::remove(SimLoop& loop) noexcept {
  std::erase(loops_, &loop);
  std::erase_if(ports_, [&](const auto& port) { return port->loop == &loop; });
}

SimLoop* SimKernel::choose_due_loop() {
  std::size_t due = 0;
  SimLoop* chosen = nullptr;
  for (SimLoop* loop : loops_) {
    if (loop->is_due() && (++due == 1 || random_.below(due) == 0)) {
      chosen = loop;
    }
  }
  return chosen;
}

void SimKernel::run_until_idle() {
  do {
    std::size_t turns = 0;
    while (SimLoop* loop = choose_due_loop()) {
      ensure(++turns < kTurnsMax, "the simulation never becomes idle");
      loop->run_one_turn();
    }
    drop_unopened();
  } while (wait_for_outside());
}

bool SimKernel::wait_for_outside() {
  if (detail::runtime::outside_calls == 0) {
    return false;
  }
  std::vector<pollfd> polled;
  for (const SimLoop* loop : loops_) {
    for (const FdWatch* watch : loop->watches_) {
      const Readiness wanted = WatchAccess::wanted(*watch);
      const int events = (is_readable(wanted) ? POLLIN : 0) | (is_writable(wanted) ? POLLOUT : 0);
      polled.push_back({.fd = watch->fd(), .events = static_cast<short>(events), .revents = 0});
    }
  }
  if (polled.empty() || ::poll(polled.data(), polled.size(), kOutsidePatienceMs) <= 0) {
    return false;
  }
  for (const pollfd& each : polled) {
    const bool is_broken = (each.revents & (POLLERR | POLLHUP | POLLNVAL)) != 0;
    const unsigned in = is_broken || (each.revents & POLLIN) != 0 ? 1U : 0U;
    const unsigned out = is_broken || (each.revents & POLLOUT) != 0 ? 2U : 0U;
    if ((in | out) != 0) {
      make_ready(each.fd, static_cast<Readiness>(in | out));
    }
  }
  return true;
}

bool SimKernel::step() {
  SimLoop* loop = choose_due_loop();
  if (loop == nullptr && next_due() != Instant::max()) {
    now_ = next_due();
    loop = choose_due_loop();
  }
  if (loop == nullptr) {
    return false;
  }
  loop->run_one_turn();
  return true;
}

Instant SimKernel::next_due() const noexcept {
  Instant next = Instant::max();
  for (const SimLoop* loop : loops_) {
    next = std::min(next, loop->due());
  }
  return next;
}

void SimKernel::advance(Duration duration) {
  const Instant target = now_ + duration;
  run_until_idle();
  for (Instant next = next_due(); next <= target; next = next_due()) {
    now_ = std::max(now_, next);
    run_until_idle();
  }
  now_ = std::max(now_, target);
  run_until_idle();
}

void SimKernel::make_ready(int fd, Readiness what) {
  for (SimLoop* loop : loops_) {
    for (FdWatch* watch : loop->watches_) {
      if (watch->fd() == fd) {
        loop->events_.push_back({.watch = watch, .readiness = what});
      }
    }
  }
}

}  // namespace eider
