#include "eider/server/detail/worker.h"

#include <algorithm>
#include <string>
#include <utility>

#include "eider/base/log.h"

namespace eider::detail {

namespace {

/// Before idle connections are closed: requests that were on their way are answered first.
constexpr Duration kGrace = std::chrono::milliseconds(50);
constexpr Duration kNextLook = std::chrono::milliseconds(10);

std::size_t share(std::size_t whole, std::size_t parts) noexcept {
  return std::max<std::size_t>(whole / parts, 1);
}

}  // namespace

Worker::Worker(const Crew& crew, std::size_t index)
    : crew_(crew),
      index_(index),
      context_(*crew.loops[index], crew.service, crew.limits,
               share(crew.limits.in_flight_max, crew.loops.size()),
               share(crew.limits.handshakes_max, crew.loops.size())),
      heap_trim_(context_),
      connections_(context_, *this) {
  if (crew.protocol != nullptr) {
    context_.protocol = crew.protocol->on_loop(context_);
  }
}

Result<Address, NetError> Worker::listen(const Address& at, ListenOptions options,
                                         Preface preface) {
  DoorOwner& owner = *this;
  Listener& listener = doors_.emplace_back(context_.loop, owner, preface).listener;
  if (auto bound = listener.open(at, options); !bound) {
    return fail(bound.error());
  }
  return listener.address();
}

Result<Address, NetError> Worker::adopt(Descriptor listening, Preface preface) {
  DoorOwner& owner = *this;
  Listener& listener = doors_.emplace_back(context_.loop, owner, preface).listener;
  if (auto adopted = listener.adopt(std::move(listening)); !adopted) {
    return fail(adopted.error());
  }
  return listener.address();
}

void Worker::on_accept(Descriptor fd, Preface preface) {
  const auto to = crew_.balance.place(index_);
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
  Worker& other = *crew_.workers[to];
  crew_.loops[to]->post([&other, preface, given = std::move(fd)]() mutable {
    other.take(std::move(given), preface);
  });
}

void Worker::take(Descriptor fd, Preface preface) {
  if (context_.is_draining) {
    crew_.balance.release(index_);
    return;
  }
  open(std::move(fd), preface);
}

void Worker::open(Descriptor fd, Preface preface) {
  connections_.open(std::move(fd), preface);
  heap_trim_.note(connections_.size());
}

void Worker::on_accept_failed(NetError error) {
  if (crew_.log != nullptr) {
    std::string line("Connections cannot be accepted for now: ");
    line.append(text(error)).append(". Those that there are go on being served.");
    crew_.log->write(LogLevel::warning, line);
  }
}

void Worker::drain(Duration within) {
  const Instant now = context_.loop.now();
  drained_by_ = std::min(drained_by_, now + within);
  if (!context_.is_draining) {
    context_.is_draining = true;
    doors_.clear();
  }
  context_.loop.arm(*this, std::min(drained_by_, now + kGrace));
}

void Worker::expire() {
  const bool is_time_up = context_.loop.now() >= drained_by_;
  if (is_time_up) {
    connections_.close_all();  // what is in flight afterwards runs on blocking threads
  } else {
    connections_.close_idle();
  }
  const bool is_all_done = in_flight() == 0 && crew_.service.unfinished(context_.loop) == 0;
  if (connections_.size() == 0 && (is_all_done || is_time_up)) {
    context_.loop.stop();
  } else {
    context_.loop.arm(*this, context_.loop.now() + kNextLook);
  }
}

}  // namespace eider::detail
