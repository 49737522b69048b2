#include "eider/server/connections.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "eider/io/ws/ws_input_budget.h"
#include "eider/server/connection.h"

namespace eider::detail::server {

std::unique_ptr<StreamH1> LoopContext::take_stream() {
  if (spare_streams.empty()) {
    return std::make_unique<StreamH1>();
  }
  std::unique_ptr<StreamH1> stream = std::move(spare_streams.back());
  spare_streams.pop_back();
  return stream;
}

// Not destroyed here: an exchange that has just ended still calls its transport once more.
void LoopContext::give_back(std::unique_ptr<StreamH1> stream) noexcept {
  spare_streams.push_back(std::move(stream));
}

void LoopContext::take(const Limits& others) noexcept {
  if (others.queue_time != limits.queue_time) {
    overload.set_queue_time(others.queue_time);
  }
  limits.take(others, loop.now());
  head_limits = head_limits_of(others);
  exchanges.set_max(others.in_flight_max, others.bodies_bytes_max);
  take_budgets(others);
}

void LoopContext::take_budgets(const Limits& others) noexcept {
  output.set_limits({.bytes_max = others.waiting_bytes_max,
                     .span = others.write,
                     .bytes_per_second_min = others.bytes_per_second_min});
  decoded_budget_of(loop).set_max(others.decoded_bytes_max);
  ws::detail::set_input_bytes_max(loop, others.bodies_bytes_max);
}

// Uses multiples of the golden ratio, none of which is close to an earlier one.
Duration LoopContext::next_pause() noexcept {
  if (come_back_within == Duration::zero()) {
    return Duration::zero();
  }
  constexpr std::uint32_t kGolden = 0x9E3779B9;
  const std::uint64_t part = std::uint32_t{++told_to_come_back * kGolden};
  const auto whole = std::chrono::floor<std::chrono::milliseconds>(come_back_within).count();
  return std::chrono::milliseconds(1 + ((static_cast<std::uint64_t>(whole) * part) >> 32U));
}

void Connections::open(Descriptor fd, Preface preface) {
  if (connections_.size() > Connection::kIndexMax) {
    return;  // otherwise two connections would have the same index
  }
  Connection& connection = slab_.make(context_);
  context_.numbers->note_accepted();
  context_.numbers->add(connection.spoken());
  // Set the index before opening: a rejected connection is removed from the list by its index.
  connection.index_ = static_cast<std::uint32_t>(connections_.size()) & Connection::kIndexMax;
  connections_.push_back(&connection);
  if (!connection.open(std::move(fd), preface)) {
    on_closed(connection);
  }
}

void Connections::close_idle(Instant since, Instant kept_until) noexcept {
  const bool keeps = context_.loop.now() < kept_until;
  // Backwards: a connection that ends is replaced by the last one, which was visited already.
  for (std::size_t index = connections_.size(); index > 0; --index) {
    Connection& connection = *connections_[index - 1];
    if (!connection.is_idle()) {
      connection.stop_endless();
    } else if (!keeps && !connection.may_still_ask(since)) {
      on_closed(connection);
    }
  }
}

void Connections::close_all() noexcept {
  while (!connections_.empty()) {
    on_closed(*connections_.back());
  }
}

ConnectionsState Connections::state(std::size_t count_max) const {
  const auto count = [&numbers = *context_.numbers](Spoken spoken) {
    return static_cast<std::uint64_t>(std::max<std::int64_t>(numbers.connections(spoken), 0));
  };
  ConnectionsState state{.open = connections_.size(),
                         .opening = count(Spoken::opening),
                         .http1 = count(Spoken::http1),
                         .http2 = count(Spoken::http2),
                         .websocket = count(Spoken::websocket),
                         .closing = count(Spoken::closing),
                         .accepted = static_cast<std::uint64_t>(context_.numbers->accepted()),
                         .inspected = std::min(count_max, connections_.size())};
  for (std::size_t index = 0; index < state.inspected; ++index) {
    const Connection& connection = *connections_[index];
    state.busy += connection.is_busy() ? 1 : 0;
    state.bytes_waiting += connection.waiting_bytes();
  }
  return state;
}

// Remove it from the list first: destroying its request must not find it there.
void Connections::on_closed(Connection& connection) noexcept {
  connection.end_count();
  connections_.back()->index_ = connection.index_;
  connections_[connection.index_] = connections_.back();
  connections_.pop_back();
  slab_.destroy(connection);
  counter_.on_connection_ended();
}

}  // namespace eider::detail::server
