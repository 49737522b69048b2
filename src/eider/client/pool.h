// The connections of one client: their protocols, and the requests that share them.
// Layering: must not send anything, nor count connections and idle time: net::Pool does.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "eider/client/client_options.h"
#include "eider/client/exchange.h"
#include "eider/client/h1_connection.h"
#include "eider/client/h2_connection.h"
#include "eider/client/h2_stream.h"
#include "eider/client/turn_queue.h"
#include "eider/io/net/net.h"
#include "eider/io/net/pool.h"
#include "eider/io/runtime/task.h"
#include "eider/io/runtime/time.h"

namespace eider::detail::client {

class Pool;

/// The deadlines of a wait for a connection: for the socket, and in total.
struct LeaseDue {
  Instant connected;
  Instant whole;
};

/// Whether a connection that has served a request may be used.
enum class Reuse : std::uint8_t { welcome, unwanted };

/// An HTTP/1.1 connection, for one exchange at a time, or an HTTP/2 connection, shared by
/// exchanges.
class PooledConnection {
 public:
  explicit PooledConnection(std::unique_ptr<H1Connection> connection) noexcept
      : h1_(std::move(connection)) {}
  explicit PooledConnection(std::unique_ptr<H2Connection> connection) noexcept
      : h2_(std::move(connection)) {}

  /// Returns null if it is of the other kind.
  [[nodiscard]] H1Connection* h1() const noexcept { return h1_.get(); }
  [[nodiscard]] H2Connection* h2() const noexcept { return h2_.get(); }

  // Required by net::Pool.
  void finish() noexcept {
    if (h1_ != nullptr) {
      h1_->finish();
    }
  }
  [[nodiscard]] bool is_idle() const noexcept {
    return h1_ != nullptr ? h1_->is_idle() : h2_->streams() == 0 && h2_->is_of_use();
  }
  void close() noexcept {
    if (h2_ != nullptr) {
      h2_->close();
    }
  }

 private:
  std::unique_ptr<H1Connection> h1_;  // one of both is set
  std::unique_ptr<H2Connection> h2_;
};

/// The protocol of a host, as far as known.
enum class Speech : std::uint8_t { unknown, h1, h2 };

struct PoolHost;
using Connections = net::Pool<PooledConnection, PoolHost>;

/// The state of one route, in addition to its connections.
struct PoolHost {
  TurnQueue turns;
  std::vector<Connections::Lease> shared;  // HTTP/2 connections with streams
  std::uint32_t early_streams = 100;       // for a new connection: the limit of the last server
  Speech speech = Speech::unknown;
  bool is_opening = false;  // a call finds out the protocol, or opens another connection
};

/// A connection or an HTTP/2 stream for one exchange. It is given back on destruction, or closed if
/// it cannot be reused.
class Lease {
 public:
  Lease() noexcept = default;
  /// An exclusive connection.
  explicit Lease(Connections::Lease own) noexcept
      : own_(std::move(own)), exchange_(own_->h1()), is_reused_(own_.is_reused()) {}
  /// A stream of a shared connection.
  Lease(Pool& pool, Connections::Entry& host, std::unique_ptr<H2Stream> stream) noexcept
      : pool_(&pool),
        host_(host),
        stream_(std::move(stream)),
        exchange_(stream_.get()),
        is_reused_(stream_->connection().requests() != 0) {}
  Lease(Lease&& other) noexcept { take(other); }
  Lease& operator=(Lease&& other) noexcept {
    give_back();
    take(other);
    return *this;
  }
  ~Lease() { give_back(); }

  [[nodiscard]] bool is_held() const noexcept { return exchange_ != nullptr; }
  /// Returns whether it has served a request before: the server may have closed it meanwhile.
  [[nodiscard]] bool is_reused() const noexcept { return is_reused_; }
  [[nodiscard]] ClientExchange* operator->() const noexcept { return exchange_; }
  [[nodiscard]] ClientExchange& operator*() const noexcept { return *exchange_; }
  /// Returns whether the connection was lost before any byte of a response arrived: the server may
  /// not have seen the request.
  [[nodiscard]] bool is_unanswered(const ClientError& fault) const noexcept {
    return fault.fault == ClientFault::connection_lost && is_held() && !exchange_->has_heard();
  }
  /// Pre: it is a stream.
  [[nodiscard]] H2Stream& h2() const noexcept { return *stream_; }
  void give_back() noexcept {
    if (is_held()) {
      end();
    }
  }

 private:
  void end() noexcept;
  /// Pre: it is empty.
  void take(Lease& other) noexcept;

  Connections::Lease own_;  // one of own_ and stream_ is set
  Pool* pool_ = nullptr;
  Connections::Use host_;
  std::unique_ptr<H2Stream> stream_;
  ClientExchange* exchange_ = nullptr;
  bool is_reused_ = false;
};

class Pool {
 public:
  /// All arguments outlive the pool, and the pool its leases.
  Pool(Loop& loop, const ClientOptions& options, h1::ResponseReader& reader, net::Net& net) noexcept
      : loop_(loop),
        options_(options),
        reader_(reader),
        net_(net),
        connections_(loop, {.per_key_max = options.connections_per_host_max,
                            .all_max = options.connections_max,
                            .idle = options.idle}) {}

  /// Returns an existing connection, or an empty lease.
  [[nodiscard]] Lease try_lease(const net::Route& route);
  /// Returns a stream of an existing connection that supports WebSockets, or an empty lease.
  [[nodiscard]] Lease try_websocket(const net::Route& route);
  /// Returns a connection, new or reused; waits until the limits permit one more.
  ///
  /// route    must outlive the task
  /// errors   timed_out; the errors of the dialler
  [[nodiscard]] Task<Result<Lease, ClientError>> lease(const net::Route& route, LeaseDue due,
                                                       Reuse reuse, Rank rank = Rank::usual);

 private:
  friend class Lease;
  using Host = Connections::Entry;
  using Leased = Result<Lease, ClientError>;
  using Connected = Result<net::Connection, ClientError>;
  using Fits = bool (*)(const H2Connection& connection) noexcept;

  [[nodiscard]] Task<Connected> connect(const net::Route& route, LeaseDue due,
                                        net::Protocols protocols);
  [[nodiscard]] Task<Leased> lease_own(const net::Route& route, LeaseDue due, Reuse reuse);
  [[nodiscard]] Lease own(Connections::Lease lease, net::Connection of);

  // Shared connections: pool_shared.cc.
  [[nodiscard]] bool may_share(const net::Route& route) const noexcept;
  [[nodiscard]] Task<Leased> lease_shared(const net::Route& route, LeaseDue due, Rank rank);
  [[nodiscard]] Lease try_share(Host& host, Fits fits);
  [[nodiscard]] Lease share(Host& host, H2Connection& connection);
  [[nodiscard]] Lease share_used(Host& host, Fits fits);
  [[nodiscard]] Lease share_unused(Host& host, Connections::Lease connection);
  [[nodiscard]] static bool takes_one_more(const H2Connection& connection) noexcept;
  [[nodiscard]] bool may_open(const Host& host) const noexcept;
  [[nodiscard]] Task<Leased> open(const net::Route& route, Host& host, LeaseDue due);
  [[nodiscard]] Task<std::optional<ClientError>> wait_for_turn(const net::Route& route, Host& host,
                                                               Instant due, Rank rank);
  [[nodiscard]] Leased settle(const net::Route& route, Host& host, Connections::Lease lease,
                              net::Connection of);
  [[nodiscard]] bool speaks_h2(const net::Route& route, const net::Connection& of) const noexcept;
  [[nodiscard]] net::Protocols offered() const;
  void leave_shared(Host& host, H2Connection& connection) noexcept;
  [[nodiscard]] static ClientError no_room(const net::Route& route);

  Loop& loop_;
  const ClientOptions& options_;
  h1::ResponseReader& reader_;
  net::Net& net_;
  Connections connections_;
};

}  // namespace eider::detail::client
