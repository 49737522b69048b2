#include "eider/testkit/loop_sim.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string>

#include "eider/core/base/assert.h"
#include "eider/core/base/poison.h"
#include "eider/io/runtime/stream_access.h"
#include "eider/testkit/sim_connection.h"

namespace eider {

using detail::testkit::SimConnection;
using detail::testkit::SimPort;
using detail::testkit::wall_seconds_at;

namespace {

constexpr std::uint64_t kFileBytesAtOnce = 256 * 1024;
constexpr std::int64_t kWallSecondsAtZero = 1'700'000'000;

}  // namespace

std::int64_t detail::testkit::wall_seconds_at(Instant now) noexcept {
  return kWallSecondsAtZero +
         std::chrono::duration_cast<std::chrono::seconds>(now.time_since_epoch()).count();
}

SimLoop::SimLoop(SimKernel& kernel) : kernel_(kernel), pool_({.threads_max = 0}) {
  SimLoop::read_clocks();
  set_blocking_pool(&pool_);
  kernel_.add(*this);
}

SimLoop::~SimLoop() {
  end_kept();
  kernel_.remove(*this);
}

Instant SimLoop::read_now() const noexcept {
  return kernel_.now();
}

void SimLoop::read_clocks() noexcept {
  set_clocks(kernel_.now_, wall_seconds_at(kernel_.now_));
}

// Streams.

void SimLoop::attach(Stream& stream) {
  SimConnection* connection = kernel_.connection_of(StreamAccess::fd(stream));
  ensure(connection != nullptr, "a real socket on a simulated loop");
  connection->loop = this;
  connection->stream = &stream;
  StreamAccess::slot(stream) = connection->index;
  queue(*connection);
}

void SimLoop::update(Stream& stream) {
  queue(kernel_.connection(StreamAccess::slot(stream)));
}

void SimLoop::detach(Stream& stream) noexcept {
  if (cork_owner_ == &stream) {
    drop_cork();
  }
  SimConnection& connection = kernel_.connection(StreamAccess::slot(stream));
  kernel_.note('d', connection.index, connection.unread_bytes());
  forget(&connection);
  connection.stream = nullptr;
  connection.server_gone = true;
  if (connection.unread_bytes() > 0) {
    connection.is_reset = true;
  }
  kernel_.release_if_unused(connection);
}

std::size_t SimLoop::bytes_to_take(const SimConnection& connection, std::size_t bytes) {
  if (bytes == 0 || kernel_.random_.happens(kernel_.faults_.refused_write)) {
    return 0;
  }
  const std::size_t most = std::min(bytes, connection.room_bytes());
  if (most > 1 && kernel_.random_.happens(kernel_.faults_.short_write)) {
    return 1 + kernel_.random_.below(most - 1);
  }
  return most;
}

Loop::Written SimLoop::write(Stream& stream, std::string_view first, std::string_view second) {
  SimConnection& connection = kernel_.connection(StreamAccess::slot(stream));
  const std::size_t bytes = first.size() + second.size();
  if (connection.is_reset || connection.server_ended) {
    return {0, connection.is_reset ? ECONNRESET : EPIPE};
  }
  if (connection.client_gone) {
    connection.is_reset = true;  // the bytes are sent, and RST is received
    queue(connection);
    return {bytes, 0};
  }
  const std::size_t taken = bytes_to_take(connection, bytes);
  connection.to_client.append(first.substr(0, taken));
  connection.to_client.append(second.substr(0, taken - std::min(taken, first.size())));
  connection.is_blocked = taken < bytes;
  if (connection.is_blocked && connection.room_bytes() > 0) {
    queue(connection);  // a fault has shortened the write: the socket is still writable
  }
  kernel_.note('w', connection.index, taken);
  return {taken, 0};
}

Loop::Written SimLoop::send_file(Stream& stream, std::string_view before, FileSlice slice) {
  std::string bytes(std::min<std::uint64_t>(slice.bytes, kFileBytesAtOnce), '\0');
  const ssize_t got =
      ::pread(slice.file, bytes.data(), bytes.size(), static_cast<off_t>(slice.offset));
  if (got <= 0) {
    return {0, got == 0 ? ENODATA : errno};
  }
  bytes.resize(static_cast<std::size_t>(got));
  return write(stream, before, bytes);
}

void SimLoop::end_writing(Stream& stream) noexcept {
  SimConnection& connection = kernel_.connection(StreamAccess::slot(stream));
  kernel_.note('e', connection.index, 0);
  connection.server_ended = true;
  queue(connection);
}

void SimLoop::drop_unsent(Stream& stream) noexcept {
  kernel_.connection(StreamAccess::slot(stream)).is_reset = true;
}

// Listeners and watches.

Result<ListeningSocket, NetError> SimLoop::listen(const SocketAddress& at,
                                                  const ListenOptions& options) {
  return kernel_.bind(at, options.sharing);
}

void SimLoop::attach(Listener& listener) {
  kernel_.listen(listener, *this);
}

void SimLoop::detach(Listener& listener) noexcept {
  kernel_.stop_listening(listener);
}

void SimLoop::begin_closing(Listener& listener) noexcept {
  if (SimPort* port = kernel_.port_of(listener)) {
    port->is_closing = true;
  }
}

bool SimLoop::accept_last(Listener& listener) {
  SimPort* port = kernel_.port_of(listener);
  if (port != nullptr && !port->is_resting) {
    accept(*port);
  }
  return port == nullptr || port->backlog.empty();
}

void SimLoop::attach(FdWatch& watch) {
  watches_.push_back(&watch);
}

void SimLoop::update(FdWatch& /*watch*/) {}

void SimLoop::detach(FdWatch& watch) noexcept {
  std::erase(watches_, &watch);
  forget(&watch);
}

// Turns.

bool SimLoop::is_due() const noexcept {
  return !events_.empty() || wake_at() <= kernel_.now_;
}

void SimLoop::run_one_turn() {
  is_driven_ = true;
  run_turns();
  is_driven_ = false;
  turn_end_ = kernel_.now_;
}

void SimLoop::queue(SimConnection& connection) {
  if (!connection.is_queued) {
    connection.is_queued = true;
    events_.push_back({.connection = &connection});
  }
}

void SimLoop::queue(SimPort& port) {
  if (!port.is_queued && !port.is_resting) {
    port.is_queued = true;
    events_.push_back({.port = &port});
  }
}

void SimLoop::forget(const void* object) noexcept {
  for (std::vector<Event>* events : {&events_, &batch_}) {
    for (Event& event : *events) {
      if (event.connection == object || event.port == object || event.watch == object) {
        event = Event();
      }
    }
  }
}

void SimLoop::wait(Instant until) {
  if (is_driven_) {
    stop();  // after this turn
    sleeps_ += kernel_.now_ != turn_end_ ? 1 : 0;
  } else if (events_.empty() && until > kernel_.now_) {
    ensure(until != Instant::max(), "a simulated loop waits for an event that cannot occur");
    kernel_.now_ = until;
    ++sleeps_;
  }
  read_clocks();
  const std::size_t count = std::min(events_.size(), kernel_.events_max_);
  const auto last = events_.begin() + static_cast<std::ptrdiff_t>(count);
  batch_.assign(events_.begin(), last);
  events_.erase(events_.begin(), last);
  has_all_ = events_.empty();
  shuffle_batch();
  for (std::size_t i = 0; i < batch_.size(); ++i) {
    handle(batch_[i]);
    flush_cork();
  }
  batch_.clear();
}

void SimLoop::shuffle_batch() noexcept {
  for (std::size_t last = batch_.size(); last > 1; --last) {
    if (kernel_.random_.happens(kernel_.faults_.reordered)) {
      std::swap(batch_[last - 1], batch_[kernel_.random_.below(last)]);
    }
  }
}

// By value, because a callback may remove the event or add others.
void SimLoop::handle(Event event) {
  if (kernel_.random_.happens(kernel_.faults_.late)) {
    events_.push_back(event);
  } else if (event.connection != nullptr) {
    event.connection->is_queued = false;
    handle(*event.connection);
  } else if (event.port != nullptr) {
    event.port->is_queued = false;
    accept(*event.port);
  } else if (event.watch != nullptr) {
    const auto wanted = static_cast<unsigned>(WatchAccess::wanted(*event.watch));
    const auto ready = static_cast<Readiness>(static_cast<unsigned>(event.readiness) & wanted);
    if (ready != Readiness::none) {
      event.watch->on_ready(ready);
    }
  }
}

void SimLoop::handle(SimConnection& connection) {
  Stream* stream = connection.stream;
  if (stream == nullptr) {
    return;
  }
  if (connection.is_reset) {
    StreamAccess::tell_broken(*stream, NetError::reset);
    return;
  }
  if (connection.room_bytes() > 0 && StreamAccess::wants_writable(*stream)) {
    connection.is_blocked = false;
    StreamAccess::tell_writable(*stream);
    if (connection.stream != stream) {
      return;
    }
  }
  if (StreamAccess::wants_bytes(*stream)) {
    read(connection);
  } else if (connection.is_end_told && connection.server_ended) {
    StreamAccess::tell_broken(*stream, NetError::closed);  // like a hang-up event of the kernel
  }
}

void SimLoop::read(SimConnection& connection) {
  Stream& stream = *connection.stream;
  const std::size_t unread = connection.unread_bytes();
  if (unread == 0) {
    if (connection.client_ended) {
      connection.is_end_told = true;
      kernel_.note('f', connection.index, 0);
      queue(connection);
      StreamAccess::tell_end(stream);
    }
    return;
  }
  if (kernel_.random_.happens(kernel_.faults_.reset)) {
    connection.is_reset = true;
    StreamAccess::tell_broken(stream, NetError::reset);
    return;
  }
  const detail::base::OpenedMemory opened(room_.get(), kReadBytesMax);
  const std::string_view bytes = take_unread(connection, bytes_to_read(unread));
  if (connection.unread_bytes() > 0 || connection.client_ended) {
    queue(connection);
  }
  kernel_.note('b', connection.index, bytes.size());
  StreamAccess::tell_bytes(stream, bytes);
}

std::size_t SimLoop::bytes_to_read(std::size_t unread) noexcept {
  const std::size_t most = std::min(unread, kReadBytesMax);
  if (most > 1 && kernel_.random_.happens(kernel_.faults_.short_read)) {
    return 1 + kernel_.random_.below(most - 1);
  }
  return most;
}

// Copies to `room_`, so that the client can send more while the bytes are processed.
std::string_view SimLoop::take_unread(SimConnection& connection, std::size_t bytes) {
  connection.to_server.copy(room_.get(), bytes, connection.read_bytes);
  connection.read_bytes += bytes;
  if (connection.unread_bytes() == 0) {
    connection.to_server.clear();
    connection.read_bytes = 0;
  }
  return {room_.get(), bytes};
}

void SimLoop::accept(SimPort& port) {
  Listener& listener = *port.listener;
  // A callback may close the listener: then its port no longer exists.
  while (kernel_.port_of(listener) == &port && !port.backlog.empty()) {
    if (kernel_.random_.happens(kernel_.faults_.failed_accept)) {
      kernel_.note('m', port.backlog.size(), 0);
      port.is_resting = true;
      WatchAccess::tell_failed(listener, NetError::too_many_open);
      return;
    }
    const std::uint32_t index = port.backlog.front();
    port.backlog.pop_front();
    kernel_.unopened_.push_back(index);
    kernel_.note('a', index, 0);
    WatchAccess::tell_accepted(listener, Descriptor(SimKernel::kFirstFd + static_cast<int>(index)));
    flush_cork();
  }
}

}  // namespace eider
