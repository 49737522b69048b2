// App::run and App::serve: from the command line to a running server.
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <functional>
#include <iterator>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "eider/app/app.h"
#include "eider/app/handlers/respond.h"
#include "eider/app/life/state_file.h"
#include "eider/app/route_table.h"
#include "eider/app/service.h"
#include "eider/app/settings/options.h"
#include "eider/app/settings/printable.h"
#include "eider/app/settings/reloading.h"
#include "eider/app/settings/settings.h"
#include "eider/core/base/per_process.h"
#include "eider/core/base/startup_code.h"
#include "eider/core/base/text.h"
#include "eider/core/base/type_key.h"
#include "eider/io/runtime/seal.h"
#include "eider/io/runtime/signals.h"
#include "eider/server/connection_protocol.h"
#include "eider/server/listening.h"
#include "eider/server/process/sandbox.h"
#include "eider/server/process/supervisor.h"
#include "eider/server/server.h"

namespace eider {

namespace {

using detail::app::Serves;
using detail::app::Settings;

constexpr int kExitFailed = 1;
constexpr int kExitUsage = 2;

std::string listening_line(const Server& server) {
  std::string line = detail::server::serving_text(server.urls());
  line.append(" (").append(std::to_string(server.thread_count()));
  line.append(server.thread_count() == 1 ? " thread, " : " threads, ");
  line.append(server.backend_name()).append("). Ctrl-C stops it.");
  return line;
}

void warn_of_workers(LogSink* log) {
  if (const std::string all = detail::base::per_process_text(); !all.empty() && log != nullptr) {
    log->write(LogLevel::warning, "With --workers, each process has its own: " + all +
                                      ". Share them through Redis or PostgreSQL or set a key, or "
                                      "use --threads (docs/operations/scaling-out.md).");
  }
}

/// Serves with worker processes.
Result<void> supervise_workers(const RouteTable& table, const ServerOptions& options) {
  warn_of_workers(table.log.get());
  Duration stops = Duration::zero();
  for (const detail::app::Part& part : table.parts) {
    stops += part.stop_within;
  }
  return detail::server::supervise(options,
                                   {.can_reload = can_reload(table), .stops_within = stops});
}

/// Only `eider dev` may use the port of a program that it runs. Other users of the machine, and
/// pages whose host name resolves to this machine (DNS rebinding), do not know the token.
void accept_eider_dev_alone(RouteTable& table) {
  const char* const token = std::getenv("EIDER_DEV_TOKEN");
  if (token == nullptr || *token == '\0') {
    return;
  }
  table.scopes.front().hooks.push_front(
      {.on_request =
           [token = std::string(token)](Request& request, Response& response) {
             if (equals_in_constant_time(request.header("Eider-Dev-Token").value_or(""), token)) {
               return true;
             }
             render_error(response, Error::forbidden("This port accepts requests only from eider "
                                                     "dev. Use the URL that eider dev shows."));
             return false;
           },
       .name = "eider dev only"});
}

/// Checks the app, and the apps that are mounted in it.
Result<Serves> serves(const RouteTable& table) {
  for (const RouteScope& scope : table.scopes) {
    if (scope.states == nullptr) {
      continue;
    }
    const auto& given = scope.states->given;
    const auto found = given.find(&detail::base::kTypeKey<detail::app::ListenRule>);
    if (found == given.end()) {
      continue;
    }
    Result<Serves> its = static_cast<detail::app::ListenRule*>(found->second.get())->serves();
    if (!its || *its != Serves::everything) {
      return its;
    }
  }
  return Serves::everything;
}

void serve_monitoring_alone(RouteTable& table) {
  std::vector<std::string> patterns;
  for (const Endpoint& endpoint : table.endpoints) {
    if (endpoint.exempt_from_load_shedding) {
      patterns.emplace_back(endpoint.pattern);
    }
  }
  table.scopes.front().hooks.push_front(
      {.on_request =
           [patterns = std::move(patterns)](const Request& request, Response& response) {
             const bool is_served = std::ranges::find(patterns, request.route()) != patterns.end();
             if (!is_served) {
               render_error(response, Error::not_found());
             }
             return is_served;
           },
       .name = "monitoring only"});
}

/// Removes all HTTP addresses. Workers then start at once, because no first connection can arrive.
void close_addresses(ServerOptions& options) {
  options.host = detail::server::kNoAddress;
  options.is_secure = false;
  options.additional_addresses.clear();
}

/// Background workers cannot wait for the first connection.
void limit(Serves served, RouteTable& table, ServerOptions& options) {
  switch (served) {
    case Serves::everything:
      return;
    case Serves::monitoring:
      serve_monitoring_alone(table);
      break;
    case Serves::nothing:
      close_addresses(options);
      break;
  }
  options.workers_start = WorkersStart::eager;
}

bool speaks_tls(const ServerOptions& options) {
  return options.is_secure ||
         std::ranges::any_of(options.additional_addresses, &ListenAt::is_secure);
}

/// Returns the ALPN protocols of an address, in order of preference.
std::vector<std::string> protocols_of(HttpVersions versions, const ConnectionProtocol* other) {
  std::vector<std::string> protocols;
  if (other != nullptr && versions != HttpVersions::http1) {
    protocols.emplace_back(other->alpn());
  }
  if (versions != HttpVersions::http2) {
    protocols.emplace_back("http/1.1");
  }
  return protocols;
}

bool needs_http2(const ServerOptions& options) {
  return options.versions == HttpVersions::http2 ||
         std::ranges::any_of(options.additional_addresses, [](const ListenAt& place) {
           return place.versions == HttpVersions::http2;
         });
}

bool has_own_certificate(const ListenAt& place) {
  return !place.certificate.empty();
}

/// Returns whether a secure address cannot use the TLS configuration of the server.
bool needs_own_seals(const ListenAt& place, const ServerOptions& options) {
  return place.seals == nullptr &&
         (place.versions != options.versions || has_own_certificate(place));
}

/// Returns whether any address uses the TLS configuration of the server.
bool needs_server_seals(const ServerOptions& options) {
  return options.is_secure ||
         std::ranges::any_of(options.additional_addresses, [&](const ListenAt& place) {
           return place.is_secure && place.seals == nullptr && !needs_own_seals(place, options);
         });
}

/// Returns the error code for certificate files that TLS cannot use.
detail::base::CodeName code_of_certificate(const TlsWanted& files) {
  const auto is_unread = [](const std::string& path) {
    return !path.empty() && ::access(path.c_str(), R_OK) != 0;
  };
  using detail::base::CodeName;
  return is_unread(files.certificate) || is_unread(files.key) ? CodeName("certificate-not-readable")
                                                              : CodeName("invalid-certificate");
}

Result<std::shared_ptr<SealMaker>> make_seals(const RouteTable& table, const ListenAt& place,
                                              const ServerOptions& options) {
  if (!table.make_seals) {
    return fail(Error::unavailable(detail::base::with_code(
        "tls-not-supported",
        "This program does not support TLS. Link eider::tls and call add_tls(app), declared in "
        "eider/tls.h")));
  }
  const bool is_own = has_own_certificate(place);
  const TlsWanted wanted{.certificate = is_own ? place.certificate : options.certificate,
                         .key = is_own ? place.key : options.key,
                         .is_of_address = is_own,
                         .protocols = protocols_of(place.versions, options.protocol.get()),
                         .is_restricted = place.versions != HttpVersions::all,
                         .log = options.log};
  auto made = table.make_seals(wanted);
  if (!made) {
    return fail(Error::unavailable(
        detail::base::with_code(code_of_certificate(wanted), made.error().detail())));
  }
  return made;
}

/// Adds the files that the program and its settings name, in addition to the options. Files may be
/// replaced while the program runs.
void add_reached(SandboxOptions& sandbox, const RouteTable& table) {
  for (const detail::app::ReachedFile& each : table.reached) {
    if (each.use == FileUse::read && ::access(each.path.c_str(), F_OK) != 0) {
      continue;  // the options name another file instead
    }
    auto& paths = each.use == FileUse::read ? sandbox.reads : sandbox.writes;
    paths.push_back(detail::server::sandbox_place_of(each.path));
  }
  const auto files = table.settings ? table.settings->files() : std::vector<std::string>();
  std::ranges::transform(files, std::back_inserter(sandbox.reads),
                         detail::server::sandbox_place_of);
}

/// Limits that the program set itself apply until a reload changes the setting.
std::function<void()> taking_limits(Server& server, const detail::app::Settings* settings,
                                    const Limits& at_start) {
  if (settings == nullptr) {
    return {};
  }
  return [&server, settings, &then = settings->limits(), at_start] {
    server.set_limits(detail::app::with_changes(at_start, then, settings->limits()));
  };
}

void ignore_signals(const RouteTable& table) {
  if (can_reload(table)) {
    ignore_signal(SIGHUP);  // otherwise it would end the process while parts start or stop
  }
  if (is_unheard(SIGPIPE)) {
    ignore_signal(SIGPIPE);  // otherwise a log to a pipe whose reader has ended (`| tee log`) would
                             // end the process
  }
  if (is_unheard(SIGUSR1)) {
    ignore_signal(SIGUSR1);  // otherwise a request for the state would end a process that is still
                             // starting
  }
}

void warn_of_unknown_variables(const Settings& settings, LogSink& log, bool is_worker) {
  if (is_worker) {
    return;  // the supervisor has the same environment, and has logged it
  }
  const LogField code("code", detail::base::CodeName("unknown-variable").text());
  for (const std::string& warning : settings.unknown_variables(Settings::Unknown::all)) {
    log.write_fields(LogLevel::warning, detail::app::printable(warning), std::span(&code, 1));
  }
}

}  // namespace

Exit App::run(int argc, char** argv) {
  const auto serving = read_command_line(argc, argv, options());
  return serving ? serve(*serving) : serving.error();
}

/// Sets up TLS if an address needs it and the options do not contain it. An address whose
/// certificate or versions differ from those of the server has its own configuration.
Result<void> App::add_seals(ServerOptions& options) const {
  if (options.protocol == nullptr && needs_http2(options)) {
    return fail(Error::unavailable(detail::base::with_code(
        "protocol-not-supported",
        "An address accepts only HTTP/2, which this program does not support. Link eider::http2 "
        "and call add_http2(app), declared in eider/http2.h")));
  }
  for (const ListenAt& place : options.additional_addresses) {
    if (has_own_certificate(place) ? !place.is_secure : !place.key.empty()) {
      return fail(Error::unavailable(detail::base::with_code(
          "invalid-certificate",
          has_own_certificate(place)
              ? "The address " + place.host + " has a certificate, but no TLS. Set is_secure"
              : "The address " + place.host + " has a key without a certificate")));
    }
  }
  if (options.seals == nullptr && needs_server_seals(options)) {
    const ListenAt server{.versions = options.versions};
    auto made = make_seals(*table_, server, options);
    if (!made) {
      return fail(std::move(made.error()));
    }
    options.seals = std::move(*made);
  }
  for (ListenAt& place : options.additional_addresses) {
    if (!place.is_secure || !needs_own_seals(place, options)) {
      continue;
    }
    auto made = make_seals(*table_, place, options);
    if (!made) {
      return fail(std::move(made.error()));
    }
    place.seals = std::move(*made);
  }
  return {};
}

/// Writes one log line for each line of text, with its code or, if it has none, the code of the
/// line before.
Exit App::refuse_to_serve(std::string_view why) const {
  detail::base::CodeName code = "startup-failed";
  while (!why.empty() && table_->log != nullptr) {
    const detail::base::CodedLine line = detail::base::split_code(take_until(why, "\n"), code);
    code = line.code;
    const LogField field("code", line.code.text());
    table_->log->write_fields(LogLevel::error, line.text, std::span(&field, 1));
  }
  return Exit(kExitFailed);
}

Exit App::serve(const ServerOptions& options) {
  if (options.lists_routes) {
    return Exit(0, list_routes());
  }
  const std::optional<unsigned> worker = worker_index();
  table_->settings = std::static_pointer_cast<detail::app::Settings>(options.settings);
  if (table_->settings != nullptr && table_->log != nullptr) {
    table_->settings->apply(*table_->log);
    warn_of_unknown_variables(*table_->settings, *table_->log, worker.has_value());
  }
  const Result<Serves> served = serves(*table_);
  if (!served) {
    return Exit(kExitUsage,
                detail::base::with_code("invalid-setting", served.error().detail()) + "\n");
  }
  ServerOptions complete = options;
  limit(*served, *table_, complete);
  accept_eider_dev_alone(*table_);
  auto service = make_service();
  if (!service) {
    return refuse_to_serve(service.error().cause());
  }
  table_->reads_certificates =
      speaks_tls(complete) &&
      (!complete.certificate.empty() || !table_->reached.empty() ||
       std::ranges::any_of(complete.additional_addresses, has_own_certificate));
  ignore_signals(*table_);
  add_reached(complete.sandbox, *table_);
  complete.on_state_request = [path = options.state_file,
                               log = table_->log](const ServerState& state) {
    detail::app::write_state(path, state, log.get());
  };
  complete.worker = worker;
  complete.stops_on_signals = !worker;
  complete.notifies_systemd = !worker;
  complete.upgrades_on_signal = !worker;
  complete.log = table_->log.get();
  if (complete.workers != 0 && complete.threads == 0) {
    complete.threads = 1;
  }
  if (complete.workers != 0 && !worker) {
    auto supervised = supervise_workers(*table_, complete);
    return supervised ? Exit(0) : refuse_to_serve(reason_of(supervised.error()));
  }
  if (complete.protocol == nullptr) {
    complete.protocol = table_->protocol;
  }
  if (auto added = add_seals(complete); !added) {
    return refuse_to_serve(added.error().detail());
  }
  auto server = std::make_unique<Server>(**service, complete);  // destroyed before the service
  table_->take_limits = taking_limits(*server, table_->settings.get(), complete.limits);
  if (auto started = server->start(); !started) {
    return refuse_to_serve(reason_of(started.error()));
  }
  if (table_->log != nullptr && !server->is_stopping() && !worker) {
    table_->log->write(LogLevel::info, listening_line(*server));
  }
  if (!server->wait()) {
    // A handler is still running. Destroying the server would wait for it, and destroying the
    // service would destroy routes and states that it uses.
    (void)server.release();
    (void)service->release();
  }
  return Exit(0);
}

}  // namespace eider
