// A service on a port: one thread and loop per core, from bind to drain.
// Must not know what the service answers, and never prints or exits by itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "eider/core/base/result.h"
#include "eider/io/runtime/loop.h"
#include "eider/io/runtime/time.h"
#include "eider/server/limits.h"

namespace eider {

class ConnectionProtocol;
class LogSink;
class SealMaker;
class Service;
struct ServerState;

/// A place where connections are accepted.
struct ListenAt {
  /// As ServerOptions::host.
  std::string host = "127.0.0.1";
  std::uint16_t port = 0;
  /// As ServerOptions::expects_proxy_protocol.
  bool expects_proxy_protocol = false;
  /// TLS is spoken, by ServerOptions::seals.
  bool is_secure = false;
};

/// As whom a process serves and what it may take, where that is not how it was started
/// (docs/operations/sandbox.md).
struct ProcessRights {
  /// A name, or a number: who serves once all places are bound and the certificates are read. Root
  /// alone can become somebody else. Empty: who has started it.
  std::string user = {};
  /// In place of the user's own group; a name, or a number.
  std::string group = {};
  /// What files that are made do not get.
  std::optional<unsigned> umask = std::nullopt;
  /// Open descriptors, RLIMIT_NOFILE.
  std::optional<std::uint64_t> open_files_max = std::nullopt;
  /// Memory that may be written to, RLIMIT_DATA: what comes on top throws std::bad_alloc.
  std::optional<std::uint64_t> memory_bytes_max = std::nullopt;
};

enum class SandboxMode : std::uint8_t {
  off,
  /// As far as the kernel has it; what is missing is logged.
  on,
  /// Or it does not serve.
  required,
};

/// When the workers of a supervisor start (docs/operations/workers.md).
enum class WorkersStart : std::uint8_t {
  /// At once: it is ready when all of them serve.
  early,
  /// When the first connection waits, all of them: it is ready when it listens. One that takes
  /// another process's place starts them at once.
  lazy,
};

/// What the process may reach, from before anything starts (docs/operations/sandbox.md). A path is
/// a file, or a directory with all below it.
struct SandboxOptions {
  SandboxMode mode = SandboxMode::off;
  std::vector<std::string> reads = {};
  std::vector<std::string> writes = {};
};

struct ServerOptions {
  /// An address, not a name: "127.0.0.1", "0.0.0.0", "::1", "localhost" or "unix:/path"; or
  /// "systemd" for the sockets that systemd listens on in place of this service (sd_listen_fds).
  std::string host = "127.0.0.1";
  /// 0 takes any that is free; see Server::port.
  std::uint16_t port = 8080;
  /// Every connection begins with the PROXY protocol (version 1 or 2), by which a balancer in front
  /// tells the client's address. Only where nobody else can connect: the word is believed.
  bool expects_proxy_protocol = false;
  /// TLS is spoken at that place.
  bool is_secure = false;
  /// Where TLS is spoken: what makes its side of each connection. See enable_tls (tls/tls.h).
  std::shared_ptr<SealMaker> seals = nullptr;
  /// PEM files, by the command line: for what makes `seals`. Empty: what the program says.
  std::string certificate = {};
  std::string key = {};
  /// Further places.
  std::vector<ListenAt> also = {};
  /// Event loops, one thread each; 0 is one per core that this process may use.
  unsigned threads = 0;
  /// Each loop runs on a processor of its own, of those that this process may use.
  bool pins_loops = false;
  Backend backend = Backend::automatic;
  Limits limits = {};
  ProcessRights rights = {};
  SandboxOptions sandbox = {};
  /// Other processes may listen on the port too, each at its own risk: the kernel spreads clients
  /// over all (SO_REUSEPORT). Otherwise a port in use is an error.
  bool shares_port = false;
  /// Of App::serve: says what would be served (App::list_routes), and ends.
  bool lists_routes = false;
  /// How long after `stop` everybody is let in and answered as before, but for those who ask
  /// whether the service is ready: so that balancers find others first.
  Duration leave = Duration::zero();
  /// How long requests in flight may take after that before they are cancelled.
  Duration drain = std::chrono::seconds(10);
  /// Finished handshakes that may wait to be accepted, per loop.
  int backlog = 4096;
  /// The first SIGTERM or SIGINT calls `stop`; a second one does to the process what it would have
  /// done without the server. Pre: no SignalWatch has these signals.
  bool stops_on_signals = false;
  /// SIGUSR2 starts the program anew, by the same words. Once that process accepts with the sockets
  /// of this one, this one stops as by `stop`; until then, and where that comes to nothing, it goes
  /// on. App::serve does. Pre: no SignalWatch has this signal, and one server in a process does.
  bool hands_over = false;
  /// So many processes of this program serve, below this one, which only holds their sockets and
  /// starts them again (docs/operations/workers.md); 0: this one serves. Of
  /// App::serve.
  unsigned workers = 0;
  WorkersStart workers_start = WorkersStart::early;
  /// This is one of them, the how manieth; it heeds no signal but what its supervisor says.
  std::optional<unsigned> worker = std::nullopt;
  /// A worker one of whose loops has not turned for so long is ended, and started again; zero: as
  /// long as the unit's WatchdogSec= says, or none is.
  Duration stuck = Duration::zero();
  /// How long the new process may take until it is ready.
  Duration successor_start = std::chrono::seconds(60);
  /// Where the number of the process in charge is written once it serves; empty: nowhere.
  std::string pid_file = {};
  /// At SIGUSR1, unless something else of the program heeds that: called with what the server does,
  /// on a thread that serves nobody. Empty: the signal is not heeded. App::serve writes it to
  /// `state_file`.
  std::function<void(const ServerState&)> on_state_asked = {};
  /// Of App::serve: where SIGUSR1 writes to; empty: eider-state-PID.json below RUNTIME_DIRECTORY,
  /// TMPDIR or /tmp.
  std::string state_file = {};
  /// With `on_state_asked`: a loop that has been in one turn for so long is told to the log, with
  /// what it runs and where; zero: it is not.
  Duration stuck_after = std::chrono::seconds(10);
  /// Tells systemd (NOTIFY_SOCKET, sd_notify(3)) that it is ready and that it stops, and where the
  /// unit has WatchdogSec= that each of its loops turns. App::serve does.
  bool tells_systemd = false;
  /// systemd keeps the listening sockets for the process that it starts next, with all who wait in
  /// their queues. Only where the unit has FileDescriptorStoreMax=, and of App::serve.
  bool stores_sockets = false;
  /// What else than HTTP/1.1 is spoken on the same ports; null: nothing.
  std::shared_ptr<const ConnectionProtocol> protocol = nullptr;
  /// Only for App::serve, which knows the type: what it reads again at SIGHUP. Null: nothing.
  /// read_command_line sets it.
  std::shared_ptr<void> settings = nullptr;
  /// Hears of what nobody can be answered about, such as a lack of descriptors. May be null.
  LogSink* log = nullptr;
};

/// Which worker of a supervisor (ServerOptions::workers) this process is: 0, 1, …, and the same
/// number for one that is started again in its place. Nothing: it is none, but serves by itself, or
/// is the supervisor. What is asked ahead of App::serve is asked ahead of any thread.
///
///     if (worker_index().value_or(0) == 0) { … }  // in one process of them
[[nodiscard]] std::optional<unsigned> worker_index();

/// Counted as of now; each loop's own figures in its place.
struct ServerStats {
  struct PerLoop {
    std::size_t connections = 0;
    std::uint64_t requests = 0;
    /// Those among them that were refused for having waited too long (Limits::queue_time).
    std::uint64_t refused = 0;
  };
  std::vector<PerLoop> loops;
  /// The same of `blocking` handlers that have waited for a thread.
  std::uint64_t refused_blocking = 0;

  [[nodiscard]] std::size_t connections() const noexcept;
  [[nodiscard]] std::uint64_t requests() const noexcept;
  /// By loops and blocking threads.
  [[nodiscard]] std::uint64_t refused() const noexcept;
};

class Server {
 public:
  /// service  is called on all loops' threads at once; outlives the server
  Server(Service& service, ServerOptions options);
  /// `stop_now`, `wait`, and waits for blocking threads that are still at work.
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  /// Binds, starts the service, and serves from then on: returns once connections are let in, or
  /// when it was stopped before that. Those that came meanwhile have waited. Raises the soft limit
  /// of open descriptors to what the limits ask for, as far as the hard limit allows. Pre: not
  /// started before.
  ///
  /// errors  the address cannot be bound, the backend is not to be had, or the service does not
  ///         start: the detail names the address, the backend or what has failed, the reason, and
  ///         what to do about it
  [[nodiscard]] Result<void> start();

  /// The port that is bound; 0 for a Unix path. Pre: started.
  [[nodiscard]] std::uint16_t port() const noexcept;
  /// Every place that is listened at: "127.0.0.1:8080", "[::1]:8080", "unix:/path". Pre: started.
  [[nodiscard]] std::vector<std::string> addresses() const;
  /// The same as "http://127.0.0.1:8080" or "https://…"; those of Unix sockets as they are.
  [[nodiscard]] std::vector<std::string> urls() const;
  [[nodiscard]] unsigned thread_count() const noexcept;
  /// "epoll" or "io_uring". Pre: started.
  [[nodiscard]] std::string_view backend_name() const noexcept;

  /// Waits until the server has stopped and its loops' threads are gone; not at all when it was
  /// never started. Pre: called on one thread at a time, none of the server's.
  ///
  /// returns  false when the time to drain was up and blocking threads are still in a handler. They
  ///          cannot be interrupted: the destructor waits for them, and who wants to leave now has
  ///          to end the process without it (std::_Exit).
  bool wait();

  /// From any thread: other limits hold for what comes from now on, on each loop as soon as it gets
  /// to that. Deadlines that run stay as they are, and connections of HTTP/2 keep the bounds of
  /// heads that they have told. Pre: started.
  void set_limits(const Limits& limits);

  /// From any thread: lets nobody in any more, finishes what is in flight with `Connection: close`,
  /// and cancels what is left when `drain` has passed. A client that has connected and asked
  /// nothing yet has a second to do so, one that was answered the rest of the second behind that;
  /// a handshake that has begun (at most a second and a half), too.
  void stop() noexcept;
  /// From any thread: as `stop` whose time is up at once.
  void stop_now() noexcept;

  /// From any thread: whether `stop` has been heard, or the service has not started.
  [[nodiscard]] bool is_stopping() const noexcept;

  /// From any thread, at any time.
  [[nodiscard]] ServerStats stats() const;

 private:
  class Parts;
  class StopSignals;

  std::unique_ptr<Parts> parts_;
};

}  // namespace eider
