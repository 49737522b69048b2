#include "cli/commands.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "cli/dev/front.h"
#include "cli/dev/sockets.h"
#include "cli/dev/supervisor.h"
#include "cli/project/project.h"
#include "cli/project/words.h"
#include "eider/core/base/base64.h"
#include "eider/core/base/secret_bytes.h"
#include "eider/core/base/text.h"
#include "eider/io/runtime/address.h"
#include "eider/server/server.h"

namespace eider::dev {

namespace {

constexpr std::uint16_t kDevPort = 8080;
constexpr unsigned kPortsTried = 100;
constexpr std::size_t kTokenBytes = 24;
constexpr Duration kDevDrain = std::chrono::milliseconds(200);

constexpr std::string_view kDevHelp = R"(eider dev [option …] [-- option of the program …]

Builds the project of this directory and runs its program, again whenever a file is saved, and
reloads the browser. Requests wait until the new program is ready. A program with the option
--development shows changed templates, catalogs, style sheets and scripts without a build.
Compiler errors are shown in the terminal and in the browser.

--target NAME       Program to run (default: the one with the project's name, or the only one that
                    is not a test)
--port PORT         Port to listen on (default: 8080)
--host ADDRESS      Address to listen on (default: 127.0.0.1, for this machine only)
--allow-host NAME   Additional host name to accept, besides localhost and addresses
--build DIRECTORY   Build directory (default: build/eider-dev)
-D NAME=VALUE       CMake variable, set when the build directory is created

  eider dev
  eider dev --target shop --port 3000 -- --database-file /tmp/shop.db

Exit codes: 0 stopped with Ctrl-C, 1 failure, 2 invalid usage
)";

struct DevWanted {
  std::string target;
  std::uint16_t port = kDevPort;
  std::string host = "127.0.0.1";
  std::vector<std::string> hosts;
  std::string build;
  std::vector<std::string> definitions;
  std::vector<std::string> words;
};

/// Splits -DNAME=VALUE into -D NAME=VALUE; arguments after -- belong to the program.
std::vector<std::string_view> with_definitions_apart(std::span<const std::string_view> words) {
  std::vector<std::string_view> all;
  const auto end = std::ranges::find(words, "--");
  for (auto word = words.begin(); word != end; ++word) {
    if (word->starts_with("-D") && word->size() > 2) {
      all.emplace_back("-D");
      all.push_back(word->substr(2));
    } else {
      all.push_back(*word);
    }
  }
  all.insert(all.end(), end, words.end());
  return all;
}

Result<DevWanted, std::string> dev_wanted(std::span<const std::string_view> all) {
  CommandWords words(with_definitions_apart(all));
  DevWanted wanted;
  wanted.target = words.value("--target", "NAME").value_or("");
  wanted.host = words.value("--host", "ADDRESS").value_or(wanted.host);
  wanted.hosts = words.values("--allow-host", "NAME");
  wanted.build = words.value("--build", "DIRECTORY").value_or("");
  wanted.definitions = words.values("-D", "NAME=VALUE");
  const auto said = words.value("--port", "PORT");
  wanted.words = words.behind();
  if (const auto rest = words.rest("", 0); !rest) {
    return fail(rest.error() + "; put options of the program after --");
  }
  const auto port = said ? parse_uint64(*said) : kDevPort;
  if (!port || *port == 0 || *port > 65535) {
    return fail("--port must be a number from 1 to 65535, not " + *said);
  }
  wanted.port = static_cast<std::uint16_t>(*port);
  return wanted;
}

Result<void, std::string> check_free(const DevWanted& wanted) {
  if (!SocketAddress::parse(wanted.host, wanted.port)) {
    return fail("--host must be an IP address, such as 127.0.0.1 or 0.0.0.0, not " + wanted.host);
  }
  if (listen_at(wanted.host, wanted.port).is_open()) {
    return {};
  }
  std::string told = fmt::format("cannot listen on {} port {}", wanted.host, wanted.port);
  for (unsigned port = wanted.port + 1U; port <= 65535 && port < wanted.port + kPortsTried;
       ++port) {
    if (listen_at(wanted.host, static_cast<std::uint16_t>(port)).is_open()) {
      return fail(
          fmt::format("{}. Another program may use that port. A free one: --port {}", told, port));
    }
  }
  return fail(std::move(told));
}

bool is_local(const std::string& host) {
  return host.starts_with("127.") || host == "::1" || host == "localhost";
}

std::string url_of(const DevWanted& wanted) {
  const std::string host = is_local(wanted.host) ? "localhost" : wanted.host;
  return fmt::format("http://{}:{}/", host.contains(':') ? "[" + host + "]" : host, wanted.port);
}

/// The token of a dashboard stays the same when the program is restarted.
std::vector<std::pair<std::string, std::string>> program_environment(const DevWanted& wanted,
                                                                     const std::string& token) {
  std::string origin = url_of(wanted);
  origin.pop_back();
  std::vector<std::pair<std::string, std::string>> all{{"EIDER_DEV_TOKEN", token},
                                                       {"EIDER_DEV_ORIGIN", std::move(origin)}};
  if (std::getenv("EIDER_DASHBOARD_TOKEN") == nullptr) {
    all.emplace_back("EIDER_DASHBOARD_TOKEN", to_base64url(secret_bytes(kTokenBytes)));
  }
  return all;
}

/// Runs the front until a signal, and the supervisor on another thread.
int serve_front(const DevWanted& wanted, Supervisor& supervisor, DevState& state,
                std::uint16_t program_port, const std::string& token) {
  App front = make_front(state, {.program = fmt::format("http://127.0.0.1:{}", program_port),
                                 .token = token,
                                 .hosts = wanted.hosts,
                                 .is_local = is_local(wanted.host)});
  std::thread supervising([&supervisor] { supervisor.run(); });
  const Exit ended =
      front.serve({.host = wanted.host, .port = wanted.port, .threads = 1, .drain = kDevDrain});
  supervisor.stop();
  supervising.join();
  return ended.code();
}

Result<int, std::string> develop(const DevWanted& wanted) {
  const auto project = find_project();
  if (!project) {
    return fail(project.error() + ". To run a single file without a project: eider run main.cc");
  }
  auto toolchain = find_toolchain();
  if (!toolchain) {
    return fail(toolchain.error());
  }
  if (const auto compiler = compiler_of(*toolchain); !compiler) {
    return fail(compiler.error());
  }
  const std::filesystem::path source = project->root;
  const auto build =
      wanted.build.empty() ? source / "build/eider-dev" : std::filesystem::absolute(wanted.build);
  std::error_code absent;
  if (std::filesystem::equivalent(build, source, absent)) {
    return fail("--build " + wanted.build +
                " is the folder of the project. Use a folder of its own, such as build/dev");
  }
  const auto lock = ProjectLock::take(build);
  if (!lock) {
    return fail(lock.error());
  }
  if (auto is_free = check_free(wanted); !is_free) {
    return fail(is_free.error());
  }
  lock->tell(url_of(wanted));
  Descriptor listener = listen_at("127.0.0.1", 0);
  const std::uint16_t program_port = port_of(listener);
  const std::string token = to_base64url(secret_bytes(kTokenBytes));
  DevState state;
  auto supervisor = Supervisor::make({.toolchain = std::move(*toolchain),
                                      .tree = {source, build, wanted.definitions},
                                      .name = project->name,
                                      .target = wanted.target,
                                      .words = wanted.words,
                                      .environment = program_environment(wanted, token),
                                      .listener = std::move(listener)},
                                     state);
  if (!supervisor) {
    return fail(supervisor.error());
  }
  print_error("eider dev: {} shows {}; Ctrl-C stops it\n", url_of(wanted), project->root);
  return serve_front(wanted, *supervisor, state, program_port, token);
}

}  // namespace

int command(std::span<const std::string_view> words) {
  if (is_help(words, kDevHelp)) {
    return kCommandDone;
  }
  const auto wanted = dev_wanted(words);
  if (!wanted) {
    return command_misused("dev", wanted.error());
  }
  const auto code = develop(*wanted);
  return code ? *code : command_fault("dev", code.error());
}

}  // namespace eider::dev
