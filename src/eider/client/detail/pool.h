// The connections of one client: kept for the next request, bounded in number and in idleness.
// Must not send anything.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "eider/client/client_options.h"
#include "eider/client/detail/dialler.h"
#include "eider/client/detail/exchange.h"
#include "eider/client/detail/h1_connection.h"
#include "eider/client/detail/h2_connection.h"
#include "eider/client/detail/h2_stream.h"
#include "eider/client/detail/sealer.h"
#include "eider/client/detail/turn_queue.h"
#include "eider/client/detail/wire.h"
#include "eider/runtime/sync.h"
#include "eider/runtime/timer.h"

namespace eider::detail {

class Pool;

/// When a wait for a connection is over: for a socket, and for all of it.
struct LeaseDue {
  Instant connected;
  Instant whole;
};

/// Whether a connection that has served a request before will do.
enum class Reuse : std::uint8_t { welcome, unwanted };

struct PoolHost;

/// Keeps a host's entry where it is.
class HostUse {
 public:
  HostUse() noexcept = default;
  explicit HostUse(PoolHost& host) noexcept;
  HostUse(HostUse&& other) noexcept : host_(std::exchange(other.host_, nullptr)) {}
  HostUse& operator=(HostUse&& other) noexcept {
    std::swap(host_, other.host_);
    return *this;
  }
  ~HostUse();
  [[nodiscard]] PoolHost& operator*() const noexcept { return *host_; }

 private:
  PoolHost* host_ = nullptr;
};

/// The right to have a connection.
class PoolPermits {
 public:
  PoolPermits() noexcept = default;
  PoolPermits(HostUse use, Semaphore::Permit of_host, Semaphore::Permit of_all) noexcept
      : use_(std::move(use)), of_host_(std::move(of_host)), of_all_(std::move(of_all)) {}
  [[nodiscard]] bool are_held() const noexcept { return of_host_.is_held() && of_all_.is_held(); }
  [[nodiscard]] PoolHost& host() const noexcept { return *use_; }

 private:
  HostUse use_;
  Semaphore::Permit of_host_;
  Semaphore::Permit of_all_;
};

/// A connection that is shared.
///
/// permits  held as long as it has streams
struct SharedConnection {
  std::unique_ptr<H2Connection> connection;
  PoolPermits permits;
};

/// What a host is known to speak.
enum class Speech : std::uint8_t { unknown, h1, h2 };

/// What the pool knows of one route.
struct PoolHost {
  explicit PoolHost(std::size_t connections_max) noexcept : permits(connections_max) {}

  Semaphore permits;
  std::size_t users = 0;                            // leases, and who waits for one
  std::vector<std::unique_ptr<H1Connection>> idle;  // the latest last
  TurnQueue turns;
  std::vector<SharedConnection> shared;
  std::uint32_t early_streams = 100;  // of a new connection: what the last one's server allowed
  Speech speech = Speech::unknown;
  bool is_opening = false;  // somebody finds out what it speaks, or opens one more
};

inline HostUse::HostUse(PoolHost& host) noexcept : host_(&host) {
  ++host.users;
}

inline HostUse::~HostUse() {
  if (host_ != nullptr) {
    --host_->users;
  }
}

/// A connection, or a stream of one, for one exchange; then it goes back, or is closed when it
/// cannot be used again.
class Lease {
 public:
  Lease() noexcept = default;
  /// A connection of its own.
  Lease(Pool& pool, PoolPermits permits, std::unique_ptr<H1Connection> connection,
        bool is_reused) noexcept
      : pool_(&pool),
        permits_(std::move(permits)),
        connection_(std::move(connection)),
        exchange_(connection_.get()),
        is_reused_(is_reused) {}
  /// A stream of one that is shared.
  Lease(Pool& pool, HostUse use, std::unique_ptr<H2Stream> stream) noexcept
      : pool_(&pool),
        permits_(std::move(use), {}, {}),
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
  /// It has served a request before: the server may have closed it meanwhile.
  [[nodiscard]] bool is_reused() const noexcept { return is_reused_; }
  [[nodiscard]] ClientExchange* operator->() const noexcept { return exchange_; }
  [[nodiscard]] ClientExchange& operator*() const noexcept { return *exchange_; }
  /// Pre: it is a connection of its own: ClientOptions::http2 is `never`.
  [[nodiscard]] H1Connection& h1() const noexcept { return *connection_; }
  void give_back() noexcept;

 private:
  /// Pre: nothing is held.
  void take(Lease& other) noexcept;

  Pool* pool_ = nullptr;
  PoolPermits permits_;
  std::unique_ptr<H1Connection> connection_;  // or
  std::unique_ptr<H2Stream> stream_;
  ClientExchange* exchange_ = nullptr;
  bool is_reused_ = false;
};

class Pool final : private Timer {
 public:
  /// All outlive the pool, and it its leases.
  Pool(Loop& loop, const ClientOptions& options, h1::ResponseReader& reader, Dialler& dialler,
       Sealer& sealer) noexcept
      : loop_(loop),
        options_(options),
        reader_(reader),
        dialler_(dialler),
        sealer_(sealer),
        permits_(options.connections_max) {}

  /// An idle connection, or none.
  [[nodiscard]] Lease try_lease(const Route& route);
  /// A connection, new or not, when there may be one more in use.
  ///
  /// route    outlives the task
  /// errors   timed_out; what the dialler says
  [[nodiscard]] Task<Result<Lease, ClientError>> lease(const Route& route, LeaseDue due,
                                                       Reuse reuse, Rank rank = Rank::usual);

  [[nodiscard]] std::size_t idle_connections() const noexcept;

 private:
  friend class Lease;
  using Leased = Result<Lease, ClientError>;
  using Connected = Result<std::unique_ptr<Wire>, ClientError>;

  void expire() override;
  [[nodiscard]] PoolHost& host_of(const Route& route);
  [[nodiscard]] PoolPermits try_permits(PoolHost& host);
  [[nodiscard]] Task<PoolPermits> wait_for_permits(PoolHost& host);
  [[nodiscard]] Task<std::optional<PoolPermits>> permits_until(PoolHost& host, Instant due);
  [[nodiscard]] std::unique_ptr<H1Connection> take_idle(PoolHost& host) noexcept;
  void keep(PoolHost& host, std::unique_ptr<H1Connection> connection) noexcept;
  void make_room() noexcept;
  [[nodiscard]] Task<Connected> connect(const Route& route, LeaseDue due,
                                        Sealer::Protocols protocols);
  [[nodiscard]] Task<Leased> lease_own(const Route& route, LeaseDue due, Reuse reuse);

  // Connections that are shared: pool_shared.cc.
  [[nodiscard]] bool may_share(const Route& route) const noexcept;
  [[nodiscard]] Task<Leased> lease_shared(const Route& route, LeaseDue due, Rank rank);
  [[nodiscard]] Lease try_share(PoolHost& host);
  [[nodiscard]] Lease share(PoolHost& host, H2Connection& connection);
  [[nodiscard]] bool may_open(const PoolHost& host) const noexcept;
  [[nodiscard]] Task<Leased> open(const Route& route, PoolHost& host, LeaseDue due);
  [[nodiscard]] Task<std::optional<ClientError>> wait_for_turn(const Route& route, PoolHost& host,
                                                               Instant due, Rank rank);
  [[nodiscard]] Leased settle(PoolHost& host, PoolPermits permits, std::unique_ptr<Wire> wire);
  [[nodiscard]] bool speaks_h2(const Wire& wire) const noexcept;
  [[nodiscard]] Sealer::Protocols offered() const;
  void leave_shared(PoolHost& host, H2Connection& connection) noexcept;
  void arm_for_idle() noexcept;
  [[nodiscard]] static std::optional<Instant> close_old(PoolHost& host, Instant before) noexcept;
  [[nodiscard]] static ClientError no_room(const Route& route);

  Loop& loop_;
  const ClientOptions& options_;
  h1::ResponseReader& reader_;
  Dialler& dialler_;
  Sealer& sealer_;
  Semaphore permits_;
  std::unordered_map<std::string, PoolHost> hosts_;
};

}  // namespace eider::detail
