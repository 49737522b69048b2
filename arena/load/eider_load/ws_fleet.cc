#include "ws_fleet.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "eider/runtime/connect.h"
#include "eider/runtime/loop.h"
#include "eider/runtime/scope.h"
#include "eider/runtime/sleep.h"

namespace load {

namespace {

using eider::Task;

// As many handshakes at once as every backlog holds.
constexpr std::size_t kOpenersMax = 100;
constexpr eider::Duration kLookInterval = std::chrono::milliseconds(2);
constexpr eider::Duration kLeaveWithin = std::chrono::seconds(2);

}  // namespace

WsFleet::WsFleet(const Options& options, const eider::Address& to, Failures& failures,
                 WsOwner& owner, std::size_t count)
    : options_(options), to_(to), failures_(failures), shared_(options) {
  for (std::size_t i = 0; i < count; ++i) {
    connections_.emplace_back(eider::Loop::current(), owner, shared_, i);
  }
}

Task<> WsFleet::open_all() {
  eider::Scope openers;
  for (std::size_t i = 0; i < std::min(kOpenersMax, connections_.size()); ++i) {
    openers.start(open_some());
  }
  co_await openers.join();
  Task<> upgrades = await_upgrades();
  co_await std::move(upgrades);
  if (ready() == 0) {
    throw std::runtime_error("no WebSocket to " + to_.to_text() + ": " + failures_.first());
  }
}

Task<> WsFleet::open_some() {
  while (opening_ < connections_.size()) {
    WsConnection& next = connections_[opening_++];
    auto fd = co_await eider::connect(to_, options_.timeout);
    if (fd) {
      next.open(std::move(*fd));
    } else {
      failures_.add(Failure::connect, eider::text(fd.error()));
    }
  }
}

Task<> WsFleet::await_upgrades() {
  const eider::Instant latest = std::chrono::steady_clock::now() + options_.timeout;
  while (is_upgrading() && std::chrono::steady_clock::now() < latest) {
    co_await eider::sleep_for(kLookInterval);
  }
  for (WsConnection& connection : connections_) {
    if (connection.is_open() && !connection.is_ready()) {
      connection.give_up(Failure::timeout, "no upgrade in time (--timeout)");
    }
  }
}

Task<> WsFleet::leave_all() {
  for (WsConnection& connection : connections_) {
    if (connection.is_ready()) {
      connection.leave();
    }
  }
  const eider::Instant latest = std::chrono::steady_clock::now() + kLeaveWithin;
  while (std::ranges::any_of(connections_, &WsConnection::is_open) &&
         std::chrono::steady_clock::now() < latest) {
    co_await eider::sleep_for(kLookInterval);
  }
}

bool WsFleet::is_upgrading() const noexcept {
  return std::ranges::any_of(
      connections_, [](const WsConnection& one) { return one.is_open() && !one.is_ready(); });
}

std::size_t WsFleet::ready() const noexcept {
  return static_cast<std::size_t>(std::ranges::count_if(connections_, &WsConnection::is_ready));
}

}  // namespace load
