#include "eider/app/settings/server_options.h"

#include <algorithm>
#include <type_traits>
#include <utility>

#include "eider/core/reflect/text.h"
#include "eider/core/reflect/text_kind.h"
#include "eider/core/reflect/type_of.h"

namespace eider {

template <>
struct TextFormat<Backend> {
  static std::optional<Backend> parse(std::string_view text) noexcept {
    return parse_backend(text);
  }
  static std::string_view format(Backend backend) noexcept {
    return backend == Backend::automatic ? "auto"
           : backend == Backend::epoll   ? "epoll"
                                         : "io_uring";
  }
  static constexpr TextSchema kSchema = {
      .requirement = "must be auto, epoll or io_uring", .format = "backend", .example = "auto"};
};

}  // namespace eider

namespace eider::detail::app {

namespace {

/// Prefix of the environment variables of these options.
constexpr std::string_view kProgram = "eider";

static_assert(Limits::kOptions.size() == reflect::member_names<Limits>().size(),
              "each limit has a description");

void add_places(std::vector<ListenAt>& places, const std::vector<Place>& more, bool is_secure) {
  for (const Place& place : more) {
    places.push_back(place.at);
    places.back().is_secure = is_secure;
  }
}

}  // namespace

Result<Place, std::string> Place::from_text(std::string_view text) {
  Place place;
  const std::size_t colon = text.rfind(':');
  const std::string_view host = text.substr(0, colon);
  if (text == "systemd" || text.starts_with("unix:")) {
    place.at.host = text;
    return place;
  }
  const bool has_brackets = host.starts_with('[') && host.ends_with(']');
  const bool is_torn = !has_brackets && host.find_first_of(":[]") != std::string_view::npos;
  if (colon == std::string_view::npos || colon == 0 || is_torn ||
      !reflect::read_text(reflect::type_of<std::uint16_t>(), &place.at.port,
                          text.substr(colon + 1))) {
    return fail("must be HOST:PORT, [IPV6]:PORT, unix:/path or systemd");
  }
  place.at.host = host;
  return place;
}

std::string Place::to_text() const {
  const bool has_port = at.host != "systemd" && !at.host.starts_with("unix:");
  return has_port ? at.host + ":" + std::to_string(at.port) : at.host;
}

namespace {

/// Adds the options of one group.
class Rows {
 public:
  Rows(OptionSet& set, std::string_view group) : set_(set), group_(group) {}

  /// Adds an option that --help shows.
  template <class T>
  Rows& common(T& value, OptionText text) {
    text.group = group_;
    set_.add_option(value, text);
    return *this;
  }
  /// Adds an option that only --help-all shows.
  template <class T>
  Rows& more(T& value, OptionText text) {
    text.is_advanced = true;
    return common(value, text);
  }

 private:
  OptionSet& set_;
  std::string_view group_;
};

OptionText flag_of_one_call(std::string_view member, std::string_view help) {
  return {.member = member, .help = help, .is_in_environment = false};
}

OptionText seconds(std::string_view member, std::string_view help, std::string_view least,
                   std::string_view initial = {}) {
  return {member, help, "N", initial, least, "86400", OptionUnit::seconds};
}

}  // namespace

OptionSet ProgramOptions::set() {
  OptionSet set(kProgram);
  add_addresses(set);
  add_processes(set);
  add_life(set);
  return std::move(set.add(live->serving).add(live->limits, "limits"));
}

void ProgramOptions::add_addresses(OptionSet& set) {
  Rows(set, "Addresses")
      .common(config, {"config",
                       "TOML file with settings; the command line and the environment override it",
                       "FILE", "none"})
      .common(server.host,
              {"host", "IP address to listen on, such as 127.0.0.1, 0.0.0.0 or ::1", "ADDRESS"})
      .common(server.port, {"port", "Port to listen on; 0 selects any free port", "PORT"})
      .common(listen, {"listen",
                       "Address to listen on instead of --host and --port; can be repeated: "
                       "0.0.0.0:80, [::1]:8080, unix:/run/app.sock, or systemd for the sockets "
                       "that systemd passes",
                       "ADDRESS"})
      .more(server.expects_proxy_protocol,
            {"proxy_protocol",
             "Expect the PROXY protocol on every connection; use it only behind a load balancer"})
      .more(server.shares_port, {"share_port", "Allow other processes to listen on the same port"});
  Rows(set, "TLS")
      .common(tls_port, {"tls_port", "Additional port of --host for TLS; can be repeated", "PORT"})
      .more(listen_tls,
            {"listen_tls", "Address to listen on with TLS, in the form of --listen", "ADDRESS"})
      .common(server.certificate, {"cert", "PEM file with the certificate chain", "FILE",
                                   "a generated one for this machine"})
      .common(server.key, {"key", "PEM file with the private key of --cert", "FILE"});
}

void ProgramOptions::add_processes(OptionSet& set) {
  Rows(set, "Threads and processes")
      .common(server.threads,
              {"threads", "Number of event loops, 1 to 1024", "N", "one per CPU core", "1", "1024"})
      .common(server.workers, {"workers",
                               "Number of worker processes, each with one thread or --threads; 0 "
                               "serves in this process",
                               "N",
                               {},
                               "0",
                               "1024"})
      .more(
          server.workers_start,
          {"workers_start", "Start the workers at once, or all of them with the first connection"})
      .more(server.stuck,
            seconds("stuck_seconds",
                    "Restart a worker when one of its event loops is blocked for N seconds", "1",
                    "WatchdogSec= of the systemd unit"))
      .more(server.backend, {"backend", "I/O backend of the event loops", "auto|epoll|io_uring"})
      .more(server.pins_loops, {"pin", "Pin each event loop to its own CPU core"});
  ProcessRights& rights = server.rights;
  Rows(set, "Permissions")
      .common(rights.user,
              {"user",
               "Drop root privileges and run as this user, a name or number, after binding ports "
               "and reading keys; with --workers the supervisor stays root",
               "NAME", "unchanged"})
      .more(rights.group,
            {"group", "Group to run as; requires --user", "NAME", "the group of --user"})
      .more(rights.umask, {"umask",
                           "Permission bits that new files do not get, such as 027",
                           {},
                           "unchanged",
                           "0",
                           "0777",
                           OptionUnit::octal})
      .more(rights.open_files_max,
            {"open_files_max", "Maximum number of open file descriptors", "N",
             "enough for the connections, up to the hard limit", "64", "1000000000"})
      .more(rights.memory_bytes_max,
            {"memory_max",
             "Memory limit of the process; requests that exceed it get 500",
             {},
             "unlimited",
             {},
             {},
             OptionUnit::bytes})
      .more(server.sandbox.mode,
            {"sandbox",
             "Restrict the process to its own files and to the system calls of a service; required "
             "exits if the kernel cannot do it"})
      .more(server.sandbox.reads,
            {"sandbox_read", "File or directory to read in the sandbox; can be repeated", "PATH"})
      .more(server.sandbox.writes,
            {"sandbox_write", "File or directory to read and write in the sandbox; can be repeated",
             "PATH"});
}

void ProgramOptions::add_life(OptionSet& set) {
  Rows(set, "Shutdown and upgrade")
      .more(server.shutdown_delay,
            seconds("shutdown_delay_seconds",
                    "Continue to serve for N seconds after SIGTERM while reporting not ready", "0"))
      .more(server.drain, seconds("drain_seconds",
                                  "Time limit for requests in flight at a graceful shutdown", "0"))
      .more(server.successor_start,
            seconds("upgrade_seconds",
                    "Time limit for the new process to start at an upgrade (SIGUSR2)", "1"))
      .more(server.stores_sockets, {"store_sockets",
                                    "Store the listening sockets in systemd across restarts; the "
                                    "unit needs FileDescriptorStoreMax="})
      .more(server.pid_file, {"pid_file", "File that receives the process ID", "FILE", "none"});
  Rows(set, "Diagnostics")
      .common(server.lists_routes,
              flag_of_one_call("routes", "List the routes with their middleware and exit"))
      .common(print_config,
              flag_of_one_call("print_config",
                               "Print all settings as a file for --config, with the origin of each "
                               "value, and exit"))
      .more(server.state_file,
            {"state_file", "File to which SIGUSR1 writes the state of the process as JSON", "FILE",
             "eider-state-PID.json in RUNTIME_DIRECTORY, TMPDIR or /tmp"})
      .more(server.stuck_after,
            seconds("log_stuck_seconds",
                    "Log an error, with a stack trace, when an event loop is blocked for N "
                    "seconds; 0 disables it",
                    "0"));
}

bool ProgramOptions::has_tls() const noexcept {
  return server.is_secure ||
         std::ranges::any_of(server.additional_addresses, &ListenAt::is_secure) ||
         !tls_port.empty() || !listen_tls.empty();
}

/// The first address of --listen or --listen-tls replaces host and port.
ServerOptions ProgramOptions::result() const {
  ServerOptions options = server;
  std::vector<ListenAt> places;
  add_places(places, listen, false);
  add_places(places, listen_tls, true);
  if (!places.empty()) {
    options.host = std::move(places.front().host);
    options.port = places.front().port;
    options.is_secure = places.front().is_secure;
    places.erase(places.begin());
  }
  for (const std::uint16_t port : tls_port) {
    places.push_back({.host = options.host, .port = port, .is_secure = true});
  }
  for (ListenAt& place : places) {
    place.versions = options.versions;
  }
  options.additional_addresses.insert(options.additional_addresses.end(), places.begin(),
                                      places.end());
  for (ListenAt& place : options.additional_addresses) {
    place.expects_proxy_protocol |= options.expects_proxy_protocol;
  }
  return options;
}

Limits with_changes(Limits limits, const Limits& before, const Limits& now) {
  reflect::for_each_member(limits, [&](std::string_view, auto& limit) {
    using Limit = std::remove_cvref_t<decltype(limit)>;
    const auto offset = reinterpret_cast<char*>(&limit) - reinterpret_cast<char*>(&limits);
    const auto of = [offset](const Limits& other) {
      return *reinterpret_cast<const Limit*>(reinterpret_cast<const char*>(&other) + offset);
    };
    if (of(now) != of(before)) {
      limit = of(now);
    }
  });
  return limits;
}

}  // namespace eider::detail::app
