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
               share(crew.limits.in_flight_max, crew.loops.size())),
      connections_(context_, *this),
      listener_(context_.loop, *this) {}

void Worker::on_accept(Descriptor fd) {
  const auto to = crew_.balance.place(index_);
  if (!to) {
    return;  // which closes it
  }
  if (*to == index_) {
    connections_.open(std::move(fd));
  } else {
    hand_over(std::move(fd), *to);
  }
}

void Worker::hand_over(Descriptor fd, std::size_t to) {
  Worker& other = *crew_.workers[to];
  crew_.loops[to]->post(
      [&other, given = std::move(fd)]() mutable { other.take(std::move(given)); });
}

void Worker::take(Descriptor fd) {
  if (context_.is_draining) {
    crew_.balance.release(index_);
    return;
  }
  connections_.open(std::move(fd));
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
    listener_.close();
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
  if (connections_.size() == 0 && (in_flight() == 0 || is_time_up)) {
    context_.loop.stop();
  } else {
    context_.loop.arm(*this, context_.loop.now() + kNextLook);
  }
}

}  // namespace eider::detail
