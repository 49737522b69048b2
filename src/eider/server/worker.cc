#include "eider/server/worker.h"

#include <algorithm>
#include <string>
#include <utility>

#include "eider/core/base/log.h"

namespace eider::detail::server {

namespace {

/// Before idle connections are closed: requests that were on their way are answered first.
constexpr Duration kGrace = std::chrono::milliseconds(50);
constexpr Duration kNextLook = std::chrono::milliseconds(10);
/// So that all that was connected for long does not connect in the same instant.
constexpr Duration kComeBackWithin = std::chrono::seconds(5);
/// For handshakes that have begun. The kernel keeps a silent client's back for a second; behind
/// that comes one more round trip.
constexpr Duration kHandshakesEnd = std::chrono::milliseconds(1500);

std::size_t share(std::size_t whole, std::size_t parts) noexcept {
  return std::max<std::size_t>(whole / parts, 1);
}

/// What one of so many loops keeps to.
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
  // Each loop spreads by a row of its own.
  context_.told_to_come_back = static_cast<std::uint32_t>(index) << 20U;
  // The context is complete before the protocol takes a reference to it.
  if (group.protocol != nullptr) {
    context_.protocol = group.protocol->on_loop(context_);
  }
}

Result<Listening, NetError> Worker::listen(const SocketAddress& at, ListenOptions options,
                                           Preface preface) {
  AcceptorOwner& owner = *this;
  Listener& listener = acceptors_.emplace_back(context_.loop, owner, preface).listener;
  if (auto bound = listener.open(at, options); !bound) {
    return fail(bound.error());
  }
  return Listening{*listener.address(), listener.fd()};
}

Result<Listening, NetError> Worker::adopt(Descriptor listening, Preface preface) {
  AcceptorOwner& owner = *this;
  Listener& listener = acceptors_.emplace_back(context_.loop, owner, preface).listener;
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
    return;  // which closes it
  }
  if (*to == index_) {
    open(std::move(fd), preface);
  } else {
    hand_over(std::move(fd), preface, *to);
  }
}

void Worker::hand_over(Descriptor fd, Preface preface, std::size_t to) {
  Worker& other = *group_.workers[to];
  // It is counted for that loop already, so the loop does not retire before this arrives.
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
  if (!context_.is_draining) {
    // It is set before any listener closes: answers from here on announce the end.
    context_.is_draining = true;
    drains_since_ = now;
    // Nobody waits for the end of a process that is replaced: so a client that keeps its connection
    // is not cut off as it asks, but told by the next response.
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

// A client that connects while we go is accepted by somebody: by us if its handshake has begun,
// else by others on the port, or it is refused.
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
  // A client that was accepted last is on the list before that is looked through.
  close_listeners(now);
  if (is_time_up) {
    connections_.close_all();  // what is in flight afterwards runs on blocking threads
  } else {
    connections_.close_idle(drains_since_, kept_until_);
  }
  const bool is_all_done =
      acceptors_.empty() && in_flight() == 0 && group_.service.unfinished(context_.loop) == 0;
  // The last question, since from there on no other loop hands a connection over to this one. Also
  // when time is up: one that is on its way would live on behind the end.
  if (connections_.size() == 0 && (is_time_up || is_all_done) &&
      group_.balance.try_retire(index_)) {
    end();
  } else {
    context_.loop.arm(*this, now + kNextLook);
  }
}

}  // namespace eider::detail::server
