#include "cli/bench/fleet.h"

#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "eider/io/runtime/connect.h"
#include "eider/io/runtime/deadline.h"
#include "eider/io/runtime/loop.h"
#include "eider/io/runtime/sleep.h"

namespace eider::bench {

namespace {

// Number of concurrent handshakes, which fits into every backlog.
constexpr std::size_t kOpenersMax = 100;

std::string connect_words(const SocketAddress& at, NetError error) {
  if (error == NetError::refused) {
    return fmt::format("Nothing listens at {}. Check that the service is running.", at.to_text());
  }
  if (error == NetError::timed_out) {
    return fmt::format("{} did not respond in time (--timeout). Check the firewall.", at.to_text());
  }
  if (error == NetError::too_many_open) {
    return "There are more connections than file descriptors (ulimit -n).";
  }
  return fmt::format("Cannot connect to {}: {}.", at.to_text(), text(error));
}

/// Requests are small and wait for their responses, so pacing for large transfers (BBR) only costs
/// time.
void prefer_plain_congestion_control(int fd) noexcept {
  constexpr std::string_view kPlain = "reno";  // every kernel has it
  ::setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, kPlain.data(), kPlain.size());
}

/// All connections of a run use the address that accepted the first one.
class ToAddress final : public net::Dialler {
 public:
  explicit ToAddress(const SocketAddress& address) noexcept : address_(address) {}
  Task<Result<Descriptor, net::ConnectError>> dial(const net::Route&, Instant due) override {
    auto fd = co_await connect(address_, due - Loop::current().now());
    if (!fd) {
      co_return fail(
          net::ConnectError{net::ConnectFault::not_connected, connect_words(address_, fd.error())});
    }
    prefer_plain_congestion_control(fd->get());
    co_return std::move(*fd);
  }

 private:
  const SocketAddress& address_;
};

void add(Faults& faults, const net::ConnectError& error) {
  switch (error.fault) {
    case net::ConnectFault::tls_failed:
      return faults.add(Fault::tls, "TLS failed: " + error.text);
    case net::ConnectFault::timed_out:
      return faults.add(Fault::timeout, "The TLS handshake timed out (--timeout).");
    case net::ConnectFault::name_not_found:
    case net::ConnectFault::lookup_failed:
    case net::ConnectFault::forbidden_address:
    case net::ConnectFault::not_connected:
    case net::ConnectFault::proxy_failed:
      return faults.add(Fault::connect, error.text);
  }
}

}  // namespace

Fleet::Fleet(const Options& options, const Target& target, const std::vector<Request>& requests,
             unsigned count, ConnectionUser& user, Outcome& outcome)
    : loop_(Loop::current()),
      options_(options),
      route_{
          .key = {}, .host = target.host, .port = target.port, .is_secure = target.tls != nullptr},
      net_({.tls_context = target.tls}, std::make_unique<ToAddress>(target.address)),
      user_(user),
      outcome_(outcome),
      h1_(requests, options.pipeline, options.expected),
      h2_{requests, options.streams, target.tls ? "https" : "http", options.expected},
      ws_(requests, options, target) {
  for (unsigned i = 0; i < count; ++i) {
    connections_.push_back(new_connection());
  }
}

std::unique_ptr<Connection> Fleet::new_connection() {
  switch (options_.version) {
    case Version::http_2:
      return make_connection(user_, h2_);
    case Version::websocket:
      return make_connection(user_, ws_);
    case Version::http_1_1:
      break;
  }
  return make_connection(user_, h1_);
}

Task<> Fleet::open_all(const std::atomic<bool>& is_to_stop) {
  Scope openers;
  for (std::size_t i = 0; i < std::min(kOpenersMax, connections_.size()); ++i) {
    openers.start(open_some(is_to_stop));
  }
  co_await openers.join();
  if (std::ranges::none_of(connections_, [](const auto& c) { return c->is_ready(); })) {
    throw std::runtime_error(outcome_.faults.first());
  }
}

Task<> Fleet::open_some(const std::atomic<bool>& is_to_stop) {
  while (opening_ < connections_.size() && !is_to_stop.load(std::memory_order_relaxed)) {
    Connection& next = *connections_[opening_++];
    co_await open(next);
  }
}

Task<bool> Fleet::open(Connection& connection) {
  const net::Protocols protocols{options_.version == Version::http_2 ? "h2" : "http/1.1"};
  auto connected =
      co_await net_.connect(route_, {loop_.now() + options_.timeout, options_.timeout}, protocols);
  if (is_ending_) {
    co_return false;
  }
  if (!connected) {
    add(outcome_.faults, connected.error());
    co_return false;
  }
  connection.open(std::move(connected->stream));
  const bool is_in_time = co_await with_deadline(connection.settled(), options_.timeout);
  if (is_ending_) {
    co_return false;  // closed in the meantime, which is not an error
  }
  if (!is_in_time) {
    connection.give_up(Fault::timeout, "The handshake timed out (--timeout).");
  }
  if (!connection.is_ready()) {
    outcome_.faults.add(connection.fault(), connection.why());
    co_return false;
  }
  ++outcome_.connections_opened;
  connection.take_into_use();
  co_return true;
}

void Fleet::reopen(Connection& connection) {
  reopening_.start(open_again(connection));
}

Task<> Fleet::open_again(Connection& connection) {
  co_await yield_now();  // not within the callback that closed it
  bool is_open = false;
  while (!is_ending_ && !is_open) {
    is_open = co_await open(connection);
    if (!is_open) {
      co_await sleep_for(kRestBetweenAttempts);
    }
  }
  if (is_open && connection.is_ready()) {
    user_.on_free(connection);
  }
}

void Fleet::give_up_late() {
  for (const auto& connection : connections_) {
    if (connection->waiting() != 0 &&
        loop_.now() - connection->waiting_since() > options_.timeout) {
      connection->give_up(Fault::timeout, "A request timed out (--timeout).");
    }
  }
}

void Fleet::end(bool is_owed) {
  is_ending_ = true;
  for (const auto& connection : connections_) {
    if (is_owed && connection->waiting() != 0) {
      connection->give_up(Fault::timeout, "A response did not arrive before the end.");
    }
    connection->close();
  }
}

bool Fleet::is_waiting() const noexcept {
  return std::ranges::any_of(connections_, [](const auto& c) { return c->waiting() != 0; });
}

bool Fleet::is_ready() const noexcept {
  return std::ranges::all_of(connections_, [](const auto& c) { return c->is_ready(); });
}

}  // namespace eider::bench
