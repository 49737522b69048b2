#include "fleet.h"

#include <algorithm>
#include <stdexcept>

#include "eider/runtime/connect.h"
#include "eider/runtime/loop.h"
#include "eider/runtime/sleep.h"

namespace load {

namespace {

using eider::Task;

// As many handshakes at once as every backlog holds.
constexpr std::size_t kOpenersMax = 100;
constexpr eider::Duration kRestBetweenAttempts = std::chrono::milliseconds(20);
constexpr eider::Duration kLookInterval = std::chrono::milliseconds(20);

}  // namespace

Fleet::Fleet(const Options& options, const eider::Address& to, Failures& failures, FleetUser& user)
    : options_(options), to_(to), failures_(failures), user_(user) {
  for (unsigned i = 0; i < options.connections; ++i) {
    connections_.emplace_back(eider::Loop::current(), static_cast<ConnectionOwner&>(*this),
                              options.expected);
  }
}

Task<> Fleet::open_all() {
  eider::Scope openers;
  for (std::size_t i = 0; i < std::min(kOpenersMax, connections_.size()); ++i) {
    openers.start(open_some());
  }
  co_await openers.join();
  if (std::ranges::none_of(connections_, &KeptConnection::is_open)) {
    throw std::runtime_error("no connection to " + to_.to_text() + ": " + failures_.first());
  }
}

Task<> Fleet::open_some() {
  while (opening_ < connections_.size()) {
    KeptConnection& next = connections_[opening_++];
    co_await open(next);
  }
}

Task<bool> Fleet::open(KeptConnection& connection) {
  auto fd = co_await eider::connect(to_, options_.timeout);
  if (!fd) {
    failures_.add(Failure::connect, eider::text(fd.error()));
    co_return false;
  }
  connection.open(std::move(*fd));
  co_return true;
}

Task<> Fleet::reopen(KeptConnection& connection) {
  co_await eider::yield_now();  // not within the callback that closed it
  // g++ 12 never runs a coroutine that awaits in a condition and has no variable outside of blocks
  // (its bug 106188), so this one has its own.
  bool is_open = false;
  while (!is_ending_ && !is_open) {
    is_open = co_await open(connection);
    if (!is_open) {
      co_await eider::sleep_for(kRestBetweenAttempts);
    }
  }
  if (is_open) {
    user_.on_free(connection);
  }
}

void Fleet::start() {
  for (KeptConnection& connection : connections_) {
    if (connection.is_open()) {
      user_.on_free(connection);
    } else {
      reopening_.start(reopen(connection));
    }
  }
  expire();
}

std::size_t Fleet::waiting() const noexcept {
  std::size_t sum = 0;
  for (const KeptConnection& connection : connections_) {
    sum += connection.waiting();
  }
  return sum;
}

void Fleet::end() {
  is_ending_ = true;
  for (KeptConnection& connection : connections_) {
    if (connection.waiting() != 0) {
      connection.give_up(Failure::timeout, "no answer before the end");
    }
  }
}

void Fleet::on_answer(KeptConnection& connection, std::optional<Failure> failure) {
  if (failure) {
    failures_.add(*failure, connection.why());
    user_.on_failed(connection);
  } else {
    user_.on_good(connection);
  }
}

void Fleet::on_gone(KeptConnection& connection, unsigned unanswered, Failure kind) {
  for (unsigned i = 0; i < unanswered; ++i) {
    failures_.add(kind, connection.why());
    user_.on_failed(connection);
  }
  if (!is_ending_) {
    reopening_.start(reopen(connection));
  }
}

void Fleet::expire() {
  const eider::Instant now = std::chrono::steady_clock::now();
  for (KeptConnection& connection : connections_) {
    if (connection.waiting() != 0 && now - connection.sent() > options_.timeout) {
      connection.give_up(Failure::timeout, "no whole answer in time (--timeout)");
    }
  }
  eider::Loop& loop = eider::Loop::current();
  loop.arm(*this, loop.now() + kLookInterval);
}

}  // namespace load
