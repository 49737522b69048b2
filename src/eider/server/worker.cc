#include "eider/server/worker.h"

#include <algorithm>
#include <string>
#include <utility>

#include "eider/core/base/log.h"
#include "eider/server/lifecycle.h"

namespace eider::detail::server {

namespace {

/// Time before idle connections are closed, so that requests in transit get a response first.
constexpr Duration kGrace = std::chrono::milliseconds(50);
constexpr Duration kNextLook = std::chrono::milliseconds(10);
/// Spreads the reconnects of long-lived connections, so that they do not come all at once.
constexpr Duration kComeBackWithin = std::chrono::seconds(5);
/// For TCP handshakes in progress. The kernel holds a silent client back for one second
/// (TCP_DEFER_ACCEPT), and then one more round trip follows.
constexpr Duration kHandshakesEnd = std::chrono::milliseconds(1500);

std::size_t share(std::size_t whole, std::size_t parts) noexcept {
  return std::max<std::size_t>(whole / parts, 1);
}

/// Returns the limits of one of `loops` loops.
Limits share_of(Limits whole, std::size_t loops) noexcept {
  whole.in_flight_max = share(whole.in_flight_max, loops);
  whole.handshakes_max = share(whole.handshakes_max, loops);
  return whole;
}

}  // namespace

Worker::Worker(const WorkerGroup& group, std::size_t index)
    : group_(group),
      index_(index),
      context_(*group.loops[index], group.service, share_of(group.limits, group.loops.size())),
      heap_trim_(context_),
      connections_(context_, *this) {
  context_.per_address = group.per_address;
  // Each loop has its own sequence of pauses.
  context_.told_to_come_back = static_cast<std::uint32_t>(index) << 20U;
  // The context must be complete before the protocol takes a reference to it.
  if (group.protocol != nullptr) {
    context_.protocol = group.protocol->on_loop(context_);
  }
}

Result<Listening, NetError> Worker::listen(const SocketAddress& at, ListenOptions options,
                                           Preface preface) {
  Listener& listener = acceptors_.emplace_back(*this, preface).listener;
  if (auto bound = listener.open(at, options); !bound) {
    return fail(bound.error());
  }
  return Listening{*listener.address(), listener.fd()};
}

Result<Listening, NetError> Worker::adopt(Descriptor listening, Preface preface) {
  Listener& listener = acceptors_.emplace_back(*this, preface).listener;
  if (auto adopted = listener.adopt(std::move(listening)); !adopted) {
    return fail(adopted.error());
  }
  return Listening{*listener.address(), listener.fd()};
}

void Worker::set_ownership(std::span<const int> sockets, SocketOwnership ownership) noexcept {
  for (Acceptor& acceptor : acceptors_) {
    if (std::ranges::find(sockets, acceptor.listener.fd()) != sockets.end()) {
      acceptor.listener.set_ownership(ownership);
    }
  }
}

void Worker::take(const Limits& limits) noexcept {
  context_.take(share_of(limits, group_.loops.size()));
}

void Worker::on_accept(Descriptor fd, Preface preface) {
  const auto to = group_.balance.place(index_);
  if (!to) {
    return;  // the descriptor's destructor closes it
  }
  if (*to == index_) {
    open(std::move(fd), preface);
  } else {
    hand_over(std::move(fd), preface, *to);
  }
}

void Worker::hand_over(Descriptor fd, Preface preface, std::size_t to) {
  Worker& other = *group_.workers[to];
  // It is already counted for that loop, so the loop does not retire before it arrives.
  group_.loops[to]->post([&other, preface, given = std::move(fd)]() mutable {
    other.open(std::move(given), preface);
  });
}

void Worker::open(Descriptor fd, Preface preface) {
  connections_.open(std::move(fd), preface);
  heap_trim_.note(connections_.size());
}

void Worker::on_accept_failed(NetError error) {
  if (group_.log != nullptr) {
    std::string line("Accepting connections failed: ");
    line.append(text(error)).append(". Existing connections are still served.");
    group_.log->write(LogLevel::warning, line);
  }
}

LoopState Worker::state() const {
  constexpr std::size_t kConnectionsMax = 10'000;
  constexpr std::size_t kRequestsMax = 100;
  constexpr std::size_t kBackgroundMax = 100;
  return {.turns = turns_of(context_.loop).count(),
          .requests = requests(),
          .in_flight = in_flight(),
          .is_draining = context_.is_draining,
          .connections = connections_.state(kConnectionsMax),
          .requests_in_flight = context_.exchanges.state(kRequestsMax),
          .background = group_.service.background(kBackgroundMax)};
}

void Worker::hold() noexcept {
  for (Acceptor& acceptor : acceptors_) {
    acceptor.listener.hold();
  }
}

void Worker::admit() {
  for (Acceptor& acceptor : acceptors_) {
    acceptor.listener.admit();
  }
}

void Worker::drain(Duration within, Departure why) {
  if (is_drained_) {
    return;
  }
  const Instant now = context_.loop.now();
  drained_by_ = std::min(drained_by_, now + within);
  context_.is_waited_for |= why == Departure::stop;
  if (!context_.is_draining) {
    // Set it before closing listeners: responses from here on announce the close.
    context_.is_draining = true;
    drains_since_ = now;
    // If the process was replaced, nothing waits for its end. So a client that keeps its connection
    // open is not disconnected while it may send a request, but gets `Connection: close` with the
    // next response.
    if (why == Departure::handed_over) {
      context_.come_back_within = kComeBackWithin;
      kept_until_ = now + within / 2;
    }
    for (Acceptor& acceptor : acceptors_) {
      acceptor.listener.begin_closing();
    }
  }
  context_.loop.arm(*this, std::min(drained_by_, now + kGrace));
}

// A client that connects during the drain is accepted here if its handshake has begun; otherwise by
// another process on the port, or it is refused.
void Worker::close_listeners(Instant now) {
  const bool is_waited_for = now < std::min(drained_by_, drains_since_ + kHandshakesEnd);
  if (!is_waited_for || std::ranges::all_of(acceptors_, [](Acceptor& acceptor) {
        return acceptor.listener.try_close();
      })) {
    acceptors_.clear();
  }
}

void Worker::end() noexcept {
  is_drained_ = true;
  if (group_.owner != nullptr) {
    group_.owner->on_drained();
  } else {
    context_.loop.stop();
  }
}

void Worker::expire() {
  const Instant now = context_.loop.now();
  const bool is_time_up = now >= drained_by_;
  // Accept the last clients first, so that they are in the list below.
  close_listeners(now);
  if (is_time_up) {
    connections_.close_all();  // requests in flight after this run on blocking threads
  } else {
    connections_.close_idle(drains_since_, kept_until_);
  }
  const bool is_all_done =
      acceptors_.empty() && in_flight() == 0 && group_.service.unfinished(context_.loop) == 0;
  // Check this last, since afterwards no loop hands a connection over to this one. Also when time
  // is up: a connection in transit would otherwise outlive the end.
  if (connections_.size() == 0 && (is_time_up || is_all_done) &&
      group_.balance.try_retire(index_)) {
    end();
  } else {
    context_.loop.arm(*this, now + kNextLook);
  }
}

}  // namespace eider::detail::server
