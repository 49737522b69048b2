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
#include "eider/client/detail/h1_connection.h"
#include "eider/client/detail/sealer.h"
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

/// What the pool knows of one route.
struct PoolHost {
  explicit PoolHost(std::size_t connections_max) noexcept : permits(connections_max) {}

  Semaphore permits;
  std::vector<std::unique_ptr<H1Connection>> idle;  // the latest last
  std::size_t users = 0;                            // leases, and who waits for one
};

/// Keeps a host's entry where it is.
class HostUse {
 public:
  HostUse() noexcept = default;
  explicit HostUse(PoolHost& host) noexcept : host_(&host) { ++host.users; }
  HostUse(HostUse&& other) noexcept : host_(std::exchange(other.host_, nullptr)) {}
  HostUse& operator=(HostUse&& other) noexcept {
    std::swap(host_, other.host_);
    return *this;
  }
  ~HostUse() {
    if (host_ != nullptr) {
      --host_->users;
    }
  }
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

/// A connection for one exchange; then it goes back, or is closed when it cannot be used again.
class Lease {
 public:
  Lease() noexcept = default;
  Lease(Pool& pool, PoolPermits permits, std::unique_ptr<H1Connection> connection,
        bool is_reused) noexcept
      : pool_(&pool),
        permits_(std::move(permits)),
        connection_(std::move(connection)),
        is_reused_(is_reused) {}
  Lease(Lease&&) noexcept = default;
  Lease& operator=(Lease&& other) noexcept {
    give_back();
    pool_ = other.pool_;
    permits_ = std::move(other.permits_);
    connection_ = std::move(other.connection_);
    is_reused_ = other.is_reused_;
    return *this;
  }
  ~Lease() { give_back(); }

  [[nodiscard]] bool is_held() const noexcept { return connection_ != nullptr; }
  /// It has served a request before: the server may have closed it meanwhile.
  [[nodiscard]] bool is_reused() const noexcept { return is_reused_; }
  [[nodiscard]] H1Connection* operator->() const noexcept { return connection_.get(); }
  [[nodiscard]] H1Connection& operator*() const noexcept { return *connection_; }
  void give_back() noexcept;

 private:
  Pool* pool_ = nullptr;
  PoolPermits permits_;
  std::unique_ptr<H1Connection> connection_;
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
                                                       Reuse reuse);

  [[nodiscard]] std::size_t idle_connections() const noexcept;

 private:
  friend class Lease;
  using Connected = Result<std::unique_ptr<H1Connection>, ClientError>;

  void expire() override;
  [[nodiscard]] PoolHost& host_of(const Route& route);
  [[nodiscard]] PoolPermits try_permits(PoolHost& host);
  [[nodiscard]] Task<PoolPermits> wait_for_permits(PoolHost& host);
  [[nodiscard]] Task<std::optional<PoolPermits>> permits_until(PoolHost& host, Instant due);
  [[nodiscard]] std::unique_ptr<H1Connection> take_idle(PoolHost& host) noexcept;
  void keep(PoolHost& host, std::unique_ptr<H1Connection> connection) noexcept;
  void make_room() noexcept;
  [[nodiscard]] Task<Connected> connect(const Route& route, LeaseDue due);

  Loop& loop_;
  const ClientOptions& options_;
  h1::ResponseReader& reader_;
  Dialler& dialler_;
  Sealer& sealer_;
  Semaphore permits_;
  std::unordered_map<std::string, PoolHost> hosts_;
};

}  // namespace eider::detail
