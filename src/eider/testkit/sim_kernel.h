// A kernel in memory: sockets, a clock that the test moves, and faults from a seed.
// Layering: must not be shared between threads; uses no real clock, thread or connection.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "eider/io/runtime/descriptor.h"
#include "eider/io/runtime/fd_watch.h"
#include "eider/io/runtime/listener.h"
#include "eider/io/runtime/time.h"
#include "eider/testkit/sim_random.h"

namespace eider {

class SimClient;
class SimKernel;
class SimLoop;

namespace detail::testkit {
struct SimConnection;
struct SimPort;
}  // namespace detail::testkit

/// Probabilities of faults, from 0 (never) to below 1 (always).
struct SimFaults {
  double short_read = 0;     ///< a read returns only some of the available bytes
  double short_write = 0;    ///< a write accepts only some of the bytes that fit
  double refused_write = 0;  ///< a write accepts nothing; the socket is writable a turn later
  double reset = 0;          ///< the connection breaks instead of being read
  double failed_accept = 0;  ///< accepting fails with EMFILE
  double late = 0;           ///< events are reported a turn later
  double reordered = 0;      ///< events of one turn are reported in another order

  /// Faults that a correct server handles without visible effect for its client.
  [[nodiscard]] static SimFaults harmless(double probability) noexcept {
    return {.short_read = probability,
            .short_write = probability,
            .refused_write = probability,
            .late = probability,
            .reordered = probability};
  }
};

/// The client end of a simulated connection. Destroying it closes the connection. The server sees
/// all actions in the next turn of its event loop.
class SimClient {
 public:
  SimClient() noexcept = default;
  SimClient(SimClient&& other) noexcept
      : kernel_(std::exchange(other.kernel_, nullptr)), index_(other.index_) {}
  SimClient& operator=(SimClient&& other) noexcept {
    std::swap(kernel_, other.kernel_);
    std::swap(index_, other.index_);
    return *this;
  }
  SimClient(const SimClient&) = delete;
  SimClient& operator=(const SimClient&) = delete;
  ~SimClient() { close(); }

  /// Sends bytes to the server; dropped if the connection is closed.
  void send(std::string_view bytes);
  /// Sends FIN: the client sends nothing more, but still receives.
  void half_close();
  /// Sends RST: closes both directions at once.
  void reset();
  /// Closes the connection like a process that exits: FIN, or RST if received bytes were not taken.
  void close() noexcept;

  /// Returns the bytes that the server has sent and `take_received` has not taken.
  [[nodiscard]] std::string_view received() const;
  /// Takes the received bytes, which frees space in the window.
  [[nodiscard]] std::string take_received();
  /// Limits the bytes that the server can send before `take_received`; unlimited at first.
  void set_window(std::size_t bytes);

  /// Returns whether no socket listened on the port.
  [[nodiscard]] bool is_refused() const;
  /// Returns whether the server has ended or closed the connection.
  [[nodiscard]] bool is_closed() const;
  /// Returns whether the connection was reset by the server or by a fault.
  [[nodiscard]] bool is_reset() const;

 private:
  friend SimKernel;
  SimClient(SimKernel& kernel, std::uint32_t index) noexcept : kernel_(&kernel), index_(index) {}
  detail::testkit::SimConnection& connection() const;

  SimKernel* kernel_ = nullptr;
  std::uint32_t index_ = 0;
};

/// A client and the server end of its connection, as from a listener.
struct SimPair {
  SimClient client;
  Descriptor server;
};

/// Runs its event loops turn by turn on the calling thread. The result depends only on the seed,
/// the faults and the calls. Pre: must outlive its event loops and clients.
class SimKernel {
 public:
  explicit SimKernel(std::uint64_t seed = 1);
  ~SimKernel();
  SimKernel(const SimKernel&) = delete;
  SimKernel& operator=(const SimKernel&) = delete;

  [[nodiscard]] std::uint64_t seed() const noexcept { return seed_; }
  void set_faults(const SimFaults& faults) noexcept { faults_ = faults; }
  /// Sets the maximum number of events per turn, as of a busy kernel.
  void set_events_max(std::size_t count) noexcept { events_max_ = count; }

  /// Connects to a listener on one of the event loops; chooses one at random if there are several.
  [[nodiscard]] SimClient connect(std::uint16_t port);
  /// Creates a connection without a listener. The descriptor is for `Stream::open` on one of the
  /// event loops.
  [[nodiscard]] SimPair connect_pair();

  [[nodiscard]] Instant now() const noexcept { return now_; }
  /// Runs all event loops until nothing is left to do at this instant. Calls to real servers
  /// (runtime/outside_calls.h) are awaited in real time, while the simulated clock does not move.
  void run_until_idle();
  /// Runs one turn of one event loop, and moves the clock to the next timer if nothing else is due.
  ///
  /// returns  false if nothing is left to do
  bool step();
  /// Advances the clock and runs everything that becomes due.
  void advance(Duration duration);

  /// Advances the clock without running anything: simulates a turn that takes that long.
  void compute(Duration duration) noexcept { now_ += duration; }

  /// Marks a watched descriptor as ready, reported once in the next turn of its event loop.
  void make_ready(int fd, Readiness what);

  /// Returns the number of connections that at least one side has not closed.
  [[nodiscard]] std::size_t open_connections() const noexcept;
  /// Returns a hash of everything that has happened, to compare two runs.
  [[nodiscard]] std::uint64_t fingerprint() const noexcept { return fingerprint_; }

 private:
  friend SimClient;
  friend SimLoop;
  using Connection = detail::testkit::SimConnection;
  using Port = detail::testkit::SimPort;

  static constexpr int kFirstFd = 1 << 30;  // no real descriptor is that large
  static constexpr int kExclusiveListenerFd = std::numeric_limits<int>::max();
  static constexpr int kSharedListenerFd = kExclusiveListenerFd - 1;
  static constexpr std::uint16_t kFirstFreePort = 32768;  // as Linux chooses for port 0

  Connection& connection(std::uint32_t index) const noexcept { return *connections_[index]; }
  Connection* connection_of(int fd) const noexcept;
  Connection& make_connection();
  void release_if_unused(Connection& connection) noexcept;
  void notify(Connection& connection);
  void note(char what, std::uint64_t first, std::uint64_t second) noexcept;

  void add(SimLoop& loop);
  void remove(SimLoop& loop) noexcept;
  Port* port_of(const Listener& listener) const noexcept;
  Port* choose_port(std::uint16_t port) noexcept;
  [[nodiscard]] bool is_free(std::uint16_t port, PortSharing sharing) const noexcept;
  Result<ListeningSocket, NetError> bind(const SocketAddress& at, PortSharing sharing);
  void listen(Listener& listener, SimLoop& loop);
  void stop_listening(Listener& listener) noexcept;

  SimLoop* choose_due_loop();
  /// returns  whether an outside call has completed
  bool wait_for_outside();
  void drop_unopened() noexcept;
  [[nodiscard]] Instant next_due() const noexcept;

  const std::uint64_t seed_;
  SimRandom random_;
  SimFaults faults_;
  std::size_t events_max_ = std::numeric_limits<std::size_t>::max();
  Instant now_;
  std::uint64_t fingerprint_ = 0;
  std::vector<SimLoop*> loops_;
  std::vector<std::unique_ptr<Connection>> connections_;
  std::vector<std::uint32_t> unused_;
  std::vector<std::uint32_t> unopened_;  // accepted, but not opened by a stream yet
  std::vector<std::unique_ptr<Port>> ports_;
};

}  // namespace eider
