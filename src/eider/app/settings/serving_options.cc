#include "eider/app/settings/serving_options.h"

#include <charconv>
#include <chrono>
#include <utility>

namespace eider::detail::app {

namespace {

void add_places(std::vector<ListenAt>& places, const std::vector<Place>& more, bool is_secure) {
  for (const Place& place : more) {
    places.push_back(place.at);
    places.back().is_secure = is_secure;
  }
}

/// The first place that --listen or --listen-tls names is in place of host and port.
void add_places(ServerOptions& options, const Serving& read) {
  std::vector<ListenAt> places;
  add_places(places, read.listen, false);
  add_places(places, read.listen_tls, true);
  if (!places.empty()) {
    options.host = std::move(places.front().host);
    options.port = places.front().port;
    options.is_secure = places.front().is_secure;
    places.erase(places.begin());
  }
  for (const std::uint16_t port : read.tls_port) {
    places.push_back({.host = options.host, .port = port, .is_secure = true});
  }
  options.also.insert(options.also.end(), places.begin(), places.end());
  for (ListenAt& place : options.also) {
    place.expects_proxy_protocol |= options.expects_proxy_protocol;
  }
}

void take_rights(ProcessRights& rights, const ServingProcess& read) {
  rights.user = read.user;
  rights.group = read.group;
  if (read.umask) {
    rights.umask = read.umask->bits;
  }
  if (read.open_files_max) {
    rights.open_files_max = std::uint64_t{*read.open_files_max};
  }
  if (read.memory_max) {
    rights.memory_bytes_max = read.memory_max->bytes;
  }
}

void take_process(ServerOptions& options, const ServingProcess& read) {
  if (read.leave_seconds) {
    options.leave = std::chrono::seconds(unsigned{*read.leave_seconds});
  }
  if (read.drain_seconds) {
    options.drain = std::chrono::seconds(unsigned{*read.drain_seconds});
  }
  if (read.upgrade_seconds) {
    options.successor_start = std::chrono::seconds(unsigned{*read.upgrade_seconds});
  }
  if (read.log_stuck_seconds) {
    options.stuck_after = std::chrono::seconds(unsigned{*read.log_stuck_seconds});
  }
  options.pid_file = read.pid_file;
  options.stores_sockets = read.store_sockets;
  if (read.stuck_seconds) {
    options.stuck = std::chrono::seconds(unsigned{*read.stuck_seconds});
  }
  options.sandbox = {
      .mode = read.sandbox, .reads = read.sandbox_read, .writes = read.sandbox_write};
  take_rights(options.rights, read);
  options.state_file = read.state_file;
  options.lists_routes = read.routes;
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

Result<Umask, std::string> Umask::from_text(std::string_view text) {
  constexpr unsigned kMost = 0777;
  constexpr std::size_t kDigitsMax = 4;
  Umask read;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), read.bits, 8);
  const bool is_whole = error == std::errc() && end == text.data() + text.size();
  if (!is_whole || text.size() > kDigitsMax || read.bits > kMost) {
    return fail("must be the rights that files do not get, as 027");
  }
  return read;
}

std::string Umask::to_text() const {
  return std::string{static_cast<char>('0' + bits / 64), static_cast<char>('0' + bits / 8 % 8),
                     static_cast<char>('0' + bits % 8)};
}

std::string BackendName::to_text() const {
  switch (backend) {
    case Backend::automatic:
      return "auto";
    case Backend::epoll:
      return "epoll";
    case Backend::io_uring:
      return "io_uring";
  }
  return {};
}

Result<BackendName, std::string> BackendName::from_text(std::string_view text) {
  const auto backend = parse_backend(text);
  if (!backend) {
    return fail("must be auto, epoll or io_uring");
  }
  return BackendName{*backend};
}

Serving serving_of(const ServerOptions& given) {
  return {.config = {},
          .host = given.host,
          .port = given.port,
          .listen = {},
          .tls_port = {},
          .listen_tls = {},
          .cert = given.certificate,
          .key = given.key,
          .proxy_protocol = given.expects_proxy_protocol,
          .share_port = given.shares_port,
          .threads = std::nullopt,
          .workers = std::nullopt,
          .workers_start = given.workers_start,
          .backend = {given.backend},
          .pin = given.pins_loops};
}

ServingProcess process_of(const ServerOptions& given) {
  return {.user = given.rights.user,
          .group = given.rights.group,
          .umask = std::nullopt,
          .open_files_max = std::nullopt,
          .memory_max = std::nullopt,
          .sandbox = given.sandbox.mode,
          .sandbox_read = given.sandbox.reads,
          .sandbox_write = given.sandbox.writes,
          .leave_seconds = std::nullopt,
          .drain_seconds = std::nullopt,
          .upgrade_seconds = std::nullopt,
          .stuck_seconds = std::nullopt,
          .store_sockets = given.stores_sockets,
          .pid_file = given.pid_file,
          .state_file = given.state_file,
          .log_stuck_seconds = std::nullopt,
          .routes = given.lists_routes,
          .print_config = false};
}

ServerOptions to_server_options(ServerOptions options, const Serving& read,
                                const ServingProcess& process) {
  options.backend = read.backend.backend;
  options.pins_loops = read.pin;
  options.host = read.host;
  options.port = read.port;
  options.certificate = read.cert;
  options.key = read.key;
  options.expects_proxy_protocol = read.proxy_protocol;
  options.shares_port = read.share_port;
  options.workers = read.workers ? unsigned{*read.workers} : options.workers;
  options.workers_start = read.workers_start;
  options.threads = read.threads ? unsigned{*read.threads} : options.threads;
  take_process(options, process);
  add_places(options, read);
  return options;
}

}  // namespace eider::detail::app
