// What every application can be told on its command line, and the server's options that it makes.
// Must not know where it was said: options.h reads it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "eider/app/settings/byte_size.h"
#include "eider/app/settings/option_set.h"
#include "eider/app/settings/serving_limits.h"
#include "eider/core/base/log.h"
#include "eider/core/base/result.h"
#include "eider/core/reflect/constraints.h"
#include "eider/server/server.h"

namespace eider::detail::app {

/// "0.0.0.0:80", "[::1]:8080", or what has no port: "unix:/path", "systemd".
struct Place {
  ListenAt at;

  [[nodiscard]] std::string to_text() const;
  static Result<Place, std::string> from_text(std::string_view text);
};

struct BackendName {
  Backend backend;

  [[nodiscard]] std::string to_text() const;
  static Result<BackendName, std::string> from_text(std::string_view text);
};

/// "027", as of a shell's umask.
struct Umask {
  static constexpr std::string_view kTakes = "OCTAL";

  unsigned bits = 0;

  [[nodiscard]] std::string to_text() const;
  static Result<Umask, std::string> from_text(std::string_view text);
};

/// What every application can be told, as its own options are: where it serves, and by what.
struct Serving {
  std::string config;
  std::string host;
  std::uint16_t port;
  std::vector<Place> listen;
  std::vector<std::uint16_t> tls_port;
  std::vector<Place> listen_tls;
  std::string cert;
  std::string key;
  bool proxy_protocol;
  bool share_port;
  std::optional<Range<unsigned, 1, 1024>> threads;
  std::optional<Range<unsigned, 0, 1024>> workers;
  WorkersStart workers_start;
  BackendName backend;
  bool pin;

  static constexpr OptionText kOptions[] = {
      {"config", "settings in TOML, for what neither this line nor the\nenvironment says", "FILE"},
      {"host", "where to listen: 127.0.0.1, 0.0.0.0, ::1, …", "ADDRESS"},
      {"port", "0 to 65535; 0 takes any that is free", "PORT"},
      {"listen",
       "in place of --host and --port, and as often as wanted: 0.0.0.0:80,\n"
       "[::1]:8080, unix:/run/app.sock, or systemd for the sockets\nthat it passes on",
       "ADDRESS"},
      {"tls_port", "a further port of --host, where TLS is spoken", "PORT"},
      {"listen_tls", "as --listen, with TLS", "ADDRESS"},
      {"cert", "the certificate with its chain, PEM; without one,\none for this machine is made",
       "FILE"},
      {"key", "its private key, PEM", "FILE"},
      {"proxy_protocol", "every connection begins with it: only behind a balancer"},
      {"share_port", "let other processes listen on the port, too"},
      {"threads", "event loops, 1 to 1024; without it, one per core"},
      {"workers",
       "processes that serve, of one thread each unless --threads says more;\nwithout it, this one "
       "serves"},
      {"workers_start", "early: at once; lazy: when the first connection waits, all of them",
       "WHEN"},
      {"backend", "auto, epoll or io_uring", "NAME"},
      {"pin", "each loop on a processor of its own, of those that it may use"}};
};

/// Likewise: as whom, how it ends and is replaced, and what is told of it.
struct ServingProcess {
  std::string user;
  std::string group;
  std::optional<Umask> umask;
  std::optional<Range<std::uint64_t, 64, 1'000'000'000>> open_files_max;
  std::optional<ByteSize> memory_max;
  SandboxMode sandbox;
  std::vector<std::string> sandbox_read;
  std::vector<std::string> sandbox_write;
  std::optional<Range<unsigned, 0, 86400>> leave_seconds;
  std::optional<Range<unsigned, 0, 86400>> drain_seconds;
  std::optional<Range<unsigned, 1, 86400>> upgrade_seconds;
  std::optional<Range<unsigned, 1, 86400>> stuck_seconds;
  bool store_sockets;
  std::string pid_file;
  std::string state_file;
  std::optional<Range<unsigned, 0, 86400>> log_stuck_seconds;
  bool routes;
  bool print_config;

  static constexpr OptionText kOptions[] = {
      {"user",
       "who serves once all is bound and read that only root may: a name or\na number; with "
       "--workers the supervisor stays root",
       "NAME"},
      {"group", "in place of the user's own group", "NAME"},
      {"umask", "the rights that files it makes do not get, as 027"},
      {"open_files_max",
       "open descriptors; without it, what connections ask for\nas far as it may"},
      {"memory_max", "memory of the process; a request that takes more is\nanswered with 500"},
      {"sandbox",
       "on: reach no file but what is named, and do nothing that no service\nneeds; "
       "required: or do not serve; off",
       "MODE"},
      {"sandbox_read", "a file, or a directory with all in it; as often as wanted", "PATH"},
      {"sandbox_write", "the same, to write to as well", "PATH"},
      {"leave_seconds",
       "how long everybody is served after SIGTERM, while it says\nthat it is not ready; without "
       "it, 0"},
      {"drain_seconds", "how long requests in flight may take then; without it, 10"},
      {"upgrade_seconds", "how long a new process may take to start on SIGUSR2;\nwithout it, 60"},
      {"stuck_seconds",
       "a worker whose loops have not turned for so long is ended, and\nstarted again; without it, "
       "as WatchdogSec= of the unit says"},
      {"store_sockets",
       "let systemd keep the sockets while it is started again; the unit\nneeds "
       "FileDescriptorStoreMax="},
      {"pid_file", "where the number of the process that serves is written", "FILE"},
      {"state_file",
       "where SIGUSR1 writes what the process does, as JSON; without it,\n"
       "eider-state-PID.json below RUNTIME_DIRECTORY, TMPDIR or /tmp",
       "FILE"},
      {"log_stuck_seconds",
       "a loop that stands still for so long is told to the log, with what\n"
       "it runs and where; 0: none is; without it, 10"},
      {.member = "routes",
       .help = "list what is served and what stands ahead of each handler, and end",
       .is_in_environment = false},
      {.member = "print_config",
       .help = "print all settings as a file for --config, each with where its\nvalue came from, "
               "and end",
       .is_in_environment = false}};
};

/// The same, of what may change while it serves.
struct LiveServing {
  std::optional<LogLevel> log_level;

  static constexpr OptionText kOptions[] = {
      {.member = "log_level",
       .help = "the lowest of the log's lines that are written;\nwithout it, as the program says",
       .is_reloadable = true}};
};

/// Both kinds of that.
struct LiveSettings {
  explicit LiveSettings(const Limits& given) : limits(serving_limits_of(given)) {}

  Live<LiveServing> serving;
  Live<ServingLimits> limits;
};

[[nodiscard]] Serving serving_of(const ServerOptions& given);
[[nodiscard]] ServingProcess process_of(const ServerOptions& given);
[[nodiscard]] ServerOptions to_server_options(ServerOptions options, const Serving& read,
                                              const ServingProcess& process);

}  // namespace eider::detail::app
