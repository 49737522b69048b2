// Server: a service on a port, with one thread and event loop per core.
// Layering: must not know the responses of the service, and never prints or exits by itself.
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
class RequestService;
struct ServerState;

/// The versions of HTTP that an address accepts.
enum class HttpVersions : std::uint8_t {
  /// HTTP/1.1, and HTTP/2 if the app enables it.
  all,
  /// HTTP/1.1 only: TLS does not offer "h2", and HTTP/2 with prior knowledge gets 501.
  http1,
  /// HTTP/2 only: TLS offers "h2" only, and HTTP/1.1 gets 505. Pre: the app enables HTTP/2.
  http2,
};

/// An address at which connections are accepted.
struct ListenAt {
  /// Address to listen on, as ServerOptions::host.
  std::string host = "127.0.0.1";
  std::uint16_t port = 0;
  /// Whether to expect the PROXY protocol, as ServerOptions::expects_proxy_protocol.
  bool expects_proxy_protocol = false;
  /// Uses TLS.
  bool is_secure = false;
  HttpVersions versions = HttpVersions::all;
  /// PEM files for this address. Default: the certificate of the server.
  std::string certificate = {};
  std::string key = {};
  /// Creates the server's side of TLS connections. Default: App::serve creates it if `versions` or
  /// `certificate` differ from those of the server; otherwise ServerOptions::seals.
  std::shared_ptr<SealMaker> seals = nullptr;
};

/// The user and the resource limits of the process, if they differ from those at its start
/// (docs/operations/privileges.md).
struct ProcessRights {
  /// The name or number of the user to run as after all addresses are bound and the certificates
  /// are read. Only root can change the user. Default: unchanged.
  std::string user = {};
  /// The name or number of a group. Default: the user's own group.
  std::string group = {};
  /// The permission bits that new files do not get.
  std::optional<unsigned> umask = std::nullopt;
  /// The maximum number of open descriptors (RLIMIT_NOFILE).
  std::optional<std::uint64_t> open_files_max = std::nullopt;
  /// The maximum of writable memory (RLIMIT_DATA); allocations beyond it throw std::bad_alloc.
  std::optional<std::uint64_t> memory_bytes_max = std::nullopt;
};

enum class SandboxMode : std::uint8_t {
  off,
  /// Sandbox as far as the kernel supports it; missing features are logged.
  on,
  /// The server does not start if the kernel lacks a feature.
  required,
};

/// Time at which the workers of a supervisor start (docs/operations/workers.md).
enum class WorkersStart : std::uint8_t {
  /// Workers start at once. The service is ready when all of them serve.
  eager,
  /// Workers start with the first connection. The service is ready when it listens. At an upgrade,
  /// the workers of the new process start at once.
  lazy,
};

/// The files that the process can access, applied before anything else starts
/// (docs/operations/sandbox.md). A path is a file, or a directory with all below it.
struct SandboxOptions {
  SandboxMode mode = SandboxMode::off;
  std::vector<std::string> reads = {};
  std::vector<std::string> writes = {};
};

struct ServerOptions {
  /// An address, not a name: "127.0.0.1", "0.0.0.0", "::1", "localhost" or "unix:/path"; or
  /// "systemd" for the sockets that systemd passes (sd_listen_fds).
  std::string host = "127.0.0.1";
  /// 0 selects any free port; see Server::port.
  std::uint16_t port = 8080;
  /// Every connection starts with the PROXY protocol (version 1 or 2), in which a load balancer
  /// sends the client's address. Use it only if no other client can connect: the address is
  /// trusted.
  bool expects_proxy_protocol = false;
  /// Uses TLS at this address.
  bool is_secure = false;
  /// The versions of HTTP that this address accepts.
  HttpVersions versions = HttpVersions::all;
  /// Creates the server's side of TLS connections. See add_tls (tls/tls.h).
  std::shared_ptr<SealMaker> seals = nullptr;
  /// PEM files from the command line, which replace those of the program in `seals`.
  std::string certificate = {};
  std::string key = {};
  /// Additional addresses.
  std::vector<ListenAt> additional_addresses = {};
  /// The number of event loops, each with its thread; 0: one for each core that this process may
  /// use.
  unsigned threads = 0;
  /// Pins each loop to a core of its own, among those that this process may use.
  bool pins_loops = false;
  Backend backend = Backend::automatic;
  Limits limits = {};
  ProcessRights rights = {};
  SandboxOptions sandbox = {};
  /// Other processes may listen on the port too (SO_REUSEPORT): the kernel distributes connections
  /// over all. Otherwise a port in use is an error.
  bool shares_port = false;
  /// Makes App::serve list the routes (App::list_routes) and return.
  bool lists_routes = false;
  /// Time for which the server continues to serve after `stop` while it reports "not ready", so
  /// that load balancers choose other servers first.
  Duration shutdown_delay = Duration::zero();
  /// Time limit for requests in flight after that; then they are canceled.
  Duration drain = std::chrono::seconds(10);
  /// The maximum number of connections that wait to be accepted, per loop.
  int backlog = 4096;
  /// The first SIGTERM or SIGINT calls `stop`; a second one has its default effect. Pre: no
  /// SignalWatch has these signals.
  bool stops_on_signals = false;
  /// SIGUSR2 starts the program again with the same arguments. When that process accepts with the
  /// sockets of this one, this one stops as with `stop`; if it fails, this one continues.
  /// App::serve sets it. Pre: no SignalWatch has this signal, and the process has one such server.
  bool upgrades_on_signal = false;
  /// The number of worker processes that serve. This process only holds their sockets and restarts
  /// them (docs/operations/workers.md). 0: this process serves. For App::serve.
  unsigned workers = 0;
  WorkersStart workers_start = WorkersStart::eager;
  /// The index of this worker, which follows its supervisor and ignores signals.
  std::optional<unsigned> worker = std::nullopt;
  /// A worker is restarted when one of its loops is blocked for this time. Zero: WatchdogSec= of
  /// the systemd unit, if it has one.
  Duration stuck = Duration::zero();
  /// The time limit for the new process to become ready.
  Duration successor_start = std::chrono::seconds(60);
  /// The file that receives the process ID once the server is ready. Default: none.
  std::string pid_file = {};
  /// Called at SIGUSR1 with the state of the server, on a thread that serves no requests. Empty:
  /// the signal is not handled. App::serve writes the state to `state_file`.
  std::function<void(const ServerState&)> on_state_request = {};
  /// File with the state, for App::serve. Default: eider-state-PID.json in RUNTIME_DIRECTORY,
  /// TMPDIR or /tmp.
  std::string state_file = {};
  /// Time after which a blocked event loop is logged with a stack trace, with `on_state_request`.
  /// Zero: never.
  Duration stuck_after = std::chrono::seconds(10);
  /// Notifies systemd (NOTIFY_SOCKET, sd_notify(3)) when it is ready and when it stops and, if the
  /// unit has WatchdogSec=, that each loop runs. App::serve sets it.
  bool notifies_systemd = false;
  /// Stores the listening sockets in systemd across restarts, with the connections in their queues.
  /// The unit needs FileDescriptorStoreMax=. For App::serve.
  bool stores_sockets = false;
  /// Another protocol on the same ports, besides HTTP/1.1; null: none.
  std::shared_ptr<const ConnectionProtocol> protocol = nullptr;
  /// Settings that SIGHUP reads again, for App::serve, which knows the type. read_command_line sets
  /// them. Null: none.
  std::shared_ptr<void> settings = nullptr;
  /// Receives errors that concern no single client, such as a lack of descriptors. May be null.
  LogSink* log = nullptr;
};

/// Returns the index of this process among the workers of its supervisor (ServerOptions::workers):
/// 0, 1, …; a worker that is restarted keeps its index. Nothing: this process is not a worker.
/// Before App::serve, call it only while the process has one thread.
///
///     if (worker_index().value_or(0) == 0) { … }  // in one process of them
[[nodiscard]] std::optional<unsigned> worker_index();

/// Figures of a server at this moment, those of each event loop in its place.
struct ServerStats {
  struct PerLoop {
    std::size_t connections = 0;
    std::uint64_t requests = 0;
    /// Requests rejected because they had waited too long (Limits::queue_time).
    std::uint64_t rejected = 0;
  };
  std::vector<PerLoop> loops;
  /// Calls of `blocking` handlers rejected because they had waited for a thread too long.
  std::uint64_t rejected_blocking = 0;

  [[nodiscard]] std::size_t connections() const noexcept;
  [[nodiscard]] std::uint64_t requests() const noexcept;
  /// Returns the sum of both: event loops and blocking threads.
  [[nodiscard]] std::uint64_t refused() const noexcept;
};

class Server {
 public:
  /// service  is called on all event loops' threads at once; must outlive the server
  Server(RequestService& service, ServerOptions options);
  /// Calls `stop_now` and `wait`, and waits for blocking threads that are still at work.
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  /// Binds the addresses, starts the service and serves. Returns when connections are accepted, or
  /// when the server was stopped before that. Earlier connections have waited. Raises the soft
  /// limit of open files to the value that the limits need, as far as the hard limit allows. Pre:
  /// not started before.
  ///
  /// errors  the address cannot be bound, the backend is not available, or the service does not
  ///         start: the detail names the address, the backend or the failed part, the reason, and
  ///         the solution
  [[nodiscard]] Result<void> start();

  /// Returns the bound port; 0 for a Unix path. Pre: started.
  [[nodiscard]] std::uint16_t port() const noexcept;
  /// Returns all addresses: "127.0.0.1:8080", "[::1]:8080", "unix:/path". Pre: started.
  [[nodiscard]] std::vector<std::string> addresses() const;
  /// Returns all URLs: "http://127.0.0.1:8080" or "https://…"; Unix sockets as their paths.
  [[nodiscard]] std::vector<std::string> urls() const;
  [[nodiscard]] unsigned thread_count() const noexcept;
  /// Returns "epoll" or "io_uring". Pre: started.
  [[nodiscard]] std::string_view backend_name() const noexcept;

  /// Waits until the server has stopped and the threads of its event loops have ended. Returns at
  /// once if it was never started. Pre: called on one thread at a time, and not on one of the
  /// server's.
  ///
  /// returns  false if the drain time is over and blocking threads are still in a handler. They
  ///          cannot be interrupted: the destructor waits for them. To exit at once, end the
  ///          process without the destructor (std::_Exit).
  bool wait();

  /// Changes the limits, from any thread: each event loop uses them for new connections and
  /// requests as soon as it can. Running deadlines do not change, and HTTP/2 connections keep the
  /// header limits that they have announced. Pre: started.
  void set_limits(const Limits& limits);

  /// Stops gracefully, from any thread. First, it continues to serve for
  /// ServerOptions::shutdown_delay. Then it accepts no more connections, finishes the requests in
  /// flight with `Connection: close`, and cancels the rest after `drain`. A client that has
  /// connected without a request has one second to send one; a client that got a response has the
  /// rest of that second. Handshakes in progress have up to a second and a half.
  void stop() noexcept;
  /// Stops like `stop`, but without time to drain; from any thread.
  void stop_now() noexcept;

  /// Returns whether `stop` was called, or the service has not started; from any thread.
  [[nodiscard]] bool is_stopping() const noexcept;

  /// Returns the figures of the server; from any thread, at any time.
  [[nodiscard]] ServerStats stats() const;

 private:
  class Impl;
  class StopSignals;

  std::unique_ptr<Impl> parts_;
};

}  // namespace eider
