// App::run and App::serve: from the command line to a served process.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "eider/app/app.h"
#include "eider/app/options.h"
#include "eider/app/route_table.h"
#include "eider/runtime/seal.h"
#include "eider/server/connection_protocol.h"
#include "eider/server/server.h"

namespace eider {

namespace {

constexpr int kExitFailed = 1;
constexpr int kExitUsage = 2;

void say(std::FILE* where, const std::string& text) {
  std::fputs(text.c_str(), where);
  std::fflush(where);
}

std::string listening_line(const Server& server) {
  std::string line("Eider serves on ");
  std::string_view between;
  for (const std::string& url : server.urls()) {
    line.append(between).append(url);
    between = ", ";
  }
  line.append(" (").append(std::to_string(server.thread_count()));
  line.append(server.thread_count() == 1 ? " thread, " : " threads, ");
  line.append(server.backend_name()).append("). Ctrl-C stops it.\n");
  return line;
}

}  // namespace

Result<ServerOptions, int> read_command_line(int argc, char** argv, ServerOptions given) {
  auto parsed = parse_options(argc, argv, std::move(given));
  if (!parsed) {
    say(stderr, parsed.error().detail() + "\n");
    return fail(kExitUsage);
  }
  if (const auto* help = std::get_if<HelpWanted>(&*parsed)) {
    say(stdout, help->text);
    return fail(0);
  }
  return std::get<ServerOptions>(std::move(*parsed));
}

int App::run(int argc, char** argv) {
  const auto options = read_command_line(argc, argv);
  return options ? serve(*options) : options.error();
}

/// Where TLS is asked for and the options do not bring it along.
Result<void> App::add_seals(ServerOptions& options) const {
  const bool is_wanted =
      options.is_secure || std::ranges::any_of(options.also, &ListenAt::is_secure);
  if (!is_wanted || options.seals != nullptr) {
    return {};
  }
  if (!table_->make_seals) {
    return fail(Error::unavailable(
        "This program does not speak TLS: link eider::tls and call enable_tls(app), declared in "
        "eider/tls/tls.h."));
  }
  std::vector<std::string> protocols{"http/1.1"};
  if (options.protocol != nullptr) {
    protocols.emplace(protocols.begin(), options.protocol->alpn());
  }
  auto made = table_->make_seals(
      {.certificate = options.certificate,
       .key = options.key,
       .protocols = std::move(protocols),
       .wants_early_data = std::ranges::any_of(table_->endpoints, &Endpoint::allows_early_data),
       .log = options.log});
  if (!made) {
    return fail(std::move(made.error()));
  }
  options.seals = std::move(*made);
  return {};
}

int App::serve(const ServerOptions& options) {
  auto service = make_service();
  if (!service) {
    say(stderr, service.error().cause());
    return kExitFailed;
  }
  ServerOptions complete = options;
  complete.stops_on_signals = true;
  complete.log = table_->log.get();
  if (complete.protocol == nullptr) {
    complete.protocol = table_->protocol;
  }
  if (auto added = add_seals(complete); !added) {
    say(stderr, added.error().detail() + "\n");
    return kExitFailed;
  }
  Server server(**service, complete);
  if (auto started = server.start(); !started) {
    say(stderr, started.error().detail() + "\n");
    return kExitFailed;
  }
  say(stderr, listening_line(server));
  if (!server.wait()) {
    // A blocking handler is still at work when the drain deadline has come. Its thread cannot be
    // stopped, and destroying the server would wait for it.
    std::_Exit(0);
  }
  return 0;
}

}  // namespace eider
