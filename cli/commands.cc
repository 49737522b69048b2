#include "cli/commands.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <string>
#include <vector>

#include "eider/app/settings/option_set.h"

namespace eider {

namespace {

/// A new command is a line here; the list, completions and suggestions follow.
constexpr auto kCommands = std::to_array<Command>({
    {"new", "makes a project that compiles, passes its tests and can be deployed", new_command,
     "service web realtime library"},
    {"add", "adds a route, a module, a page, a test, a migration or a component", add_command,
     "module page route test migration component"},
    {"dev", "builds and runs a project, again whenever a file is saved, and reloads the browser",
     dev::command},
    {"run", "compiles a single source over Eider, and runs it", dev::run_file},
    {"build", "builds the project, optimised", build_command, "--debug"},
    {"test", "builds what has changed, and runs the tests", test_command, "--watch"},
    {"check", "runs the tests under the sanitizers", check_command, "--thread"},
    {"fmt", "lays out the sources", fmt_command, "--check"},
    {"routes", "lists the routes of the project's program", routes_command},
    {"package", "packs the program with all that it needs, as an archive or an image",
     package_command, "--format"},
    {"deploy", "takes the program to another machine by ssh, and lets it serve there",
     deploy_command},
    {"upgrade", "lets a new process take a running service's place, without losing a request",
     upgrade_command},
    {"bench", "sends requests to a URL, and tells how many were answered and how fast",
     bench::command},
    {"db", "brings a database to its schema, by migrations", db_command,
     "new status up down check snapshot shell"},
    {"openapi", "prints an API's document, makes clients of it, and tells what breaks them",
     openapi_command, "document client diff"},
    {"doctor", "tells what this machine lacks to build and to serve, with the mend", doctor_command,
     "production"},
    {"completions", "prints what bash, zsh or fish complete commands by", completions_command,
     "bash zsh fish"},
    {"views", "makes C++ of templates of HTML", views_command},
    {"messages", "collects the texts to translate, and reports those that catalogues lack",
     messages_command},
});

/// Names of before; they stay, since build files call them.
constexpr auto kOldNames = std::to_array<Command>({
    {"openapi-client", "eider openapi client", openapi_client_command},
    {"openapi-diff", "eider openapi diff", openapi_diff},
});

constexpr std::string_view kExitCodes = R"(
eider COMMAND --help tells more, with examples. eider --version tells which it is.

Exits with 0 if it is done, 1 if it is not, 2 if the words are not understood, 3 if it is done and
has found what it looks for, 130 if Ctrl-C ended it.
)";

const Command* find_command(std::span<const Command> among, std::string_view name) {
  const auto found = std::ranges::find(among, name, &Command::name);
  return found == among.end() ? nullptr : &*found;
}

int list_commands() {
  std::size_t width = 0;
  for (const Command& each : kCommands) {
    width = std::max(width, each.name.size());
  }
  fmt::print("eider COMMAND [option …]\n\n");
  for (const Command& each : kCommands) {
    fmt::print("{:{}}  {}\n", each.name, width, each.what);
  }
  fmt::print("\nOld names:");
  for (const Command& each : kOldNames) {
    fmt::print(" {} ({})", each.name, each.what);
  }
  fmt::print("\n{}", kExitCodes);
  return kCommandDone;
}

int complain_of_command(std::string_view name) {
  std::vector<std::string> known;
  for (const Command& each : kCommands) {
    known.emplace_back(each.name);
  }
  const std::string nearest = detail::app::nearest_option(name, known);
  fmt::print(stderr, "eider: there is no command {}{} (eider --help lists them)\n", name,
             nearest.empty() ? "" : ", but " + nearest);
  return kCommandMisused;
}

}  // namespace

std::string_view version() noexcept {
  return EIDER_VERSION;  // a definition of the build
}

std::span<const Command> commands() noexcept {
  return kCommands;
}

int run_command(std::span<const std::string_view> words) {
  if (words.empty()) {
    fmt::print(stderr, "eider: which command? eider --help lists them.\n");
    return kCommandMisused;
  }
  const std::string_view name = words.front();
  const bool is_help = name == "--help" || name == "-h" || name == "help";
  if (is_help && words.size() == 1) {
    return list_commands();
  }
  if (name == "help") {
    return run_command(std::array{words[1], std::string_view("--help")});
  }
  if (name == "--version") {
    fmt::print("eider {}\n", version());
    return kCommandDone;
  }
  const Command* command = find_command(kCommands, name);
  command = command == nullptr ? find_command(kOldNames, name) : command;
  return command == nullptr ? complain_of_command(name) : command->run(words.subspan(1));
}

}  // namespace eider
