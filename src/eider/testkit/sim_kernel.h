// A kernel in memory: sockets, a clock that moves when told to, and faults from a seed.
// Must not be shared between threads, and uses no real clock, thread or connection.
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

/// How often, from 0 (never) to below 1 (always), the kernel does less than it could.
struct SimFaults {
  double short_read = 0;     ///< a read gives only some of the bytes that are there
  double short_write = 0;    ///< a write takes only some of the bytes that it has room for
  double refused_write = 0;  ///< a write takes nothing; the socket is writable a turn later
  double reset = 0;          ///< the connection breaks instead of being read
  double failed_accept = 0;  ///< accepting fails with EMFILE
  double late = 0;           ///< what happened is told a turn later
  double reordered = 0;      ///< the events of one turn are told in another order

  /// Everything that a correct server survives without its client noticing.
  [[nodiscard]] static SimFaults harmless(double probability) noexcept {
    return {.short_read = probability,
            .short_write = probability,
            .refused_write = probability,
            .late = probability,
            .reordered = probability};
  }
};

/// One end of a simulated connection, held by a test. Destroying it closes the connection.
/// Everything takes effect at the server in its loop's next turn.
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

  /// Bytes to the server; dropped when the connection is gone.
  void send(std::string_view bytes);
  /// FIN: nothing more will be sent, receiving goes on.
  void half_close();
  /// RST: gone at once, in both directions.
  void reset();
  /// Lets go, like a process that exits: FIN, or RST when received bytes were not taken.
  void close() noexcept;

  /// What the server has sent and `take_received` has not taken.
  [[nodiscard]] std::string_view received() const;
  /// The same, taken: makes room in the window.
  [[nodiscard]] std::string take_received();
  /// The server may be this many bytes ahead of `take_received`; unlimited at first.
  void set_window(std::size_t bytes);

  /// No socket listened there.
  [[nodiscard]] bool is_refused() const;
  /// The server has ended or closed the connection: no more will be received.
  [[nodiscard]] bool is_closed() const;
  /// It ended by force, from the server's side or by a fault.
  [[nodiscard]] bool is_reset() const;

 private:
  friend SimKernel;
  SimClient(SimKernel& kernel, std::uint32_t index) noexcept : kernel_(&kernel), index_(index) {}
  detail::testkit::SimConnection& connection() const;

  SimKernel* kernel_ = nullptr;
  std::uint32_t index_ = 0;
};

/// A client and the server's end of its connection, as a listener would have handed it out.
struct SimPair {
  SimClient client;
  Descriptor server;
};

/// Runs its loops turn by turn on the calling thread. What happens depends on the seed, the faults
/// and the calls alone. Pre: outlives its loops and clients.
class SimKernel {
 public:
  explicit SimKernel(std::uint64_t seed = 1);
  ~SimKernel();
  SimKernel(const SimKernel&) = delete;
  SimKernel& operator=(const SimKernel&) = delete;

  [[nodiscard]] std::uint64_t seed() const noexcept { return seed_; }
  void set_faults(const SimFaults& faults) noexcept { faults_ = faults; }
  /// A turn brings so many events at most, and the next one what is left, as a busy kernel does.
  void set_events_max(std::size_t count) noexcept { events_max_ = count; }

  /// Connects to a listener on one of the loops; several on one port are chosen between by dice.
  [[nodiscard]] SimClient connect(std::uint16_t port);
  /// A connection without a listener. The descriptor is for `Stream::open` on one of the loops.
  [[nodiscard]] SimPair connect_pair();

  [[nodiscard]] Instant now() const noexcept { return now_; }
  /// Runs all loops until nothing is left to do at this instant. What waits for a real server
  /// (runtime/outside_calls.h) is waited for in real time, while the simulated clock does not move.
  void run_until_idle();
  /// Runs one turn of one loop, moving the clock to the next timer when nothing is due before.
  ///
  /// returns  false when nothing is left to do, ever
  bool step();
  /// Moves the clock, running what falls due on the way.
  void advance(Duration duration);

  /// Moves the clock and runs nothing: to be called from within a turn, which takes so long.
  void compute(Duration duration) noexcept { now_ += duration; }

  /// A watched descriptor has become ready: told once, in its loop's next turn.
  void make_ready(int fd, Readiness what);

  /// Connections that neither side has let go of.
  [[nodiscard]] std::size_t open_connections() const noexcept;
  /// A number made of everything that has happened, to compare two runs.
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
  Result<ListeningSocket, NetError> bind(const Address& at, PortSharing sharing);
  void listen(Listener& listener, SimLoop& loop);
  void stop_listening(Listener& listener) noexcept;

  SimLoop* choose_due_loop();
  /// returns  whether something has come from there
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
  std::vector<std::uint32_t> unopened_;  // accepted, and no stream has taken them yet
  std::vector<std::unique_ptr<Port>> ports_;
};

}  // namespace eider
