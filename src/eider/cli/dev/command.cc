#include "eider/cli/dev/command.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "eider/base/text.h"
#include "eider/cli/dev/front.h"
#include "eider/cli/dev/sockets.h"
#include "eider/cli/dev/supervisor.h"
#include "eider/runtime/address.h"
#include "eider/server/server.h"

namespace eider::dev {

namespace {

constexpr int kDevDone = 0;
constexpr int kDevFailed = 1;
constexpr int kDevMisused = 2;
constexpr std::uint16_t kDevPort = 8080;
constexpr unsigned kPortsTried = 100;
constexpr Duration kDevDrain = std::chrono::milliseconds(200);

constexpr std::string_view kDevHelp = R"(eider dev [option …] [-- option of the program …]

Builds the project that this directory belongs to, runs its program, and does both again when a file
is saved: the browser shows what is new by itself. Requests wait for the new program meanwhile.
Templates, catalogues, style sheets and scripts are shown without a build by a program that has the
option --development. What the compiler finds wrong is in the terminal and in the browser.

--target NAME       the program; unless said the only one that is no test
--port PORT         8080 where it is not said
--host ADDRESS      127.0.0.1 where it is not said: nobody else can connect
--allow-host NAME   a name by which it may be asked, beside localhost and addresses
--build DIRECTORY   where it is built: build/eider-dev
-D NAME=VALUE       for CMake, which hears it when the directory is new

  eider dev
  eider dev --target shop --port 3000 -- --database-file /tmp/shop.db

Exits with 0 when Ctrl-C ends it, 1 if it cannot begin, 2 if the words are not understood.
)";

struct DevWanted {
  std::string target;
  std::uint16_t port = kDevPort;
  std::string host = "127.0.0.1";
  std::vector<std::string> hosts;
  std::string build;
  std::vector<std::string> definitions;
  std::vector<std::string> words;
  bool wants_help = false;
};

/// errors  what is wrong with it
Result<void, std::string> take_dev_option(std::string_view name, std::string value,
                                          DevWanted& wanted) {
  if (name == "--target") {
    wanted.target = std::move(value);
  } else if (name == "--host") {
    wanted.host = std::move(value);
  } else if (name == "--allow-host") {
    wanted.hosts.push_back(std::move(value));
  } else if (name == "--build") {
    wanted.build = std::move(value);
  } else if (name == "-D") {
    wanted.definitions.push_back(std::move(value));
  } else if (name == "--port") {
    const auto port = parse_uint64(value);
    if (!port || *port == 0 || *port > 65535) {
      return fail("--port takes a number from 1 to 65535, not " + value);
    }
    wanted.port = static_cast<std::uint16_t>(*port);
  } else {
    return fail(
        fmt::format("there is no option {} (what is for the program goes behind --)", name));
  }
  return {};
}

Result<DevWanted, std::string> dev_wanted(std::span<const std::string_view> words) {
  DevWanted wanted;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string_view word = words[i];
    if (word == "--") {
      wanted.words.assign(words.begin() + static_cast<std::ptrdiff_t>(i) + 1, words.end());
      break;
    }
    if (word == "--help" || word == "-h") {
      wanted.wants_help = true;
      continue;
    }
    std::string_view name = word.substr(0, word.find('='));
    std::optional<std::string> value;
    if (word.starts_with("-D") && word.size() > 2) {
      name = "-D";
      value = word.substr(2);
    } else if (name.size() != word.size()) {
      value = word.substr(name.size() + 1);
    } else if (i + 1 < words.size()) {
      value = words[++i];
    }
    if (!value) {
      return fail(fmt::format("{} takes a value, and none follows it", word));
    }
    if (auto taken = take_dev_option(name, std::move(*value), wanted); !taken) {
      return fail(taken.error());
    }
  }
  return wanted;
}

Result<void, std::string> check_free(const DevWanted& wanted) {
  if (!Address::parse(wanted.host, wanted.port)) {
    return fail("--host takes an address, such as 127.0.0.1 or 0.0.0.0, not " + wanted.host);
  }
  if (listen_at(wanted.host, wanted.port).is_open()) {
    return {};
  }
  std::string told = fmt::format("cannot listen on {} port {}", wanted.host, wanted.port);
  for (unsigned port = wanted.port + 1U; port <= 65535 && port < wanted.port + kPortsTried;
       ++port) {
    if (listen_at(wanted.host, static_cast<std::uint16_t>(port)).is_open()) {
      return fail(fmt::format("{}: another program may have it. Free is: --port {}", told, port));
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

/// Serves the front until a signal, with the supervisor beside it.
int serve_front(const DevWanted& wanted, Supervisor& supervisor, DevState& state,
                std::uint16_t program_port) {
  App front = make_front(state, {.program = fmt::format("http://127.0.0.1:{}", program_port),
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
  const auto source = find_project(std::filesystem::current_path());
  if (!source) {
    return fail(source.error());
  }
  auto toolchain = find_toolchain();
  if (!toolchain) {
    return fail(toolchain.error());
  }
  const auto build =
      wanted.build.empty() ? *source / "build/eider-dev" : std::filesystem::absolute(wanted.build);
  const auto lock = ProjectLock::take(build);
  if (!lock) {
    return fail(lock.error());
  }
  if (auto is_free = check_free(wanted); !is_free) {
    return fail(is_free.error());
  }
  lock->tell(url_of(wanted));
  const Descriptor listener = listen_at("127.0.0.1", 0);
  DevState state;
  auto supervisor = Supervisor::make({.toolchain = std::move(*toolchain),
                                      .tree = {*source, build, wanted.definitions},
                                      .target = wanted.target,
                                      .words = wanted.words,
                                      .listener = listener.get()},
                                     state);
  if (!supervisor) {
    return fail(supervisor.error());
  }
  fmt::print(stderr, "eider dev: {} shows {}; Ctrl-C ends it\n", url_of(wanted), source->string());
  return serve_front(wanted, *supervisor, state, port_of(listener));
}

}  // namespace

int command(std::span<const std::string_view> words) {
  const auto wanted = dev_wanted(words);
  if (!wanted) {
    fmt::print(stderr, "eider dev: {}\n", wanted.error());
    return kDevMisused;
  }
  if (wanted->wants_help) {
    fmt::print("{}", kDevHelp);
    return kDevDone;
  }
  const auto code = develop(*wanted);
  if (!code) {
    fmt::print(stderr, "eider dev: {}\n", code.error());
    return kDevFailed;
  }
  return *code;
}

}  // namespace eider::dev
