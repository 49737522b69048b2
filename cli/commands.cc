#include "cli/commands.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <string>
#include <vector>

#include "cli/project/words.h"
#include "eider/app/settings/option_set.h"

namespace eider {

namespace {

/// To add a command, add a line here; the list, completions and suggestions use it.
constexpr auto kCommands = std::to_array<Command>({
    {"new", "Create a project that compiles, passes its tests and can be deployed", new_command,
     "service web realtime library"},
    {"add", "Add a route, a module, a page, a test, a migration or a component", add_command,
     "module page route test migration component"},
    {"dev", "Build and run the project, again whenever a file is saved, and reload the browser",
     dev::command},
    {"run", "Compile and run a program in a single source file", dev::run_file},
    {"build", "Build the project, optimized", build_command, "--debug"},
    {"test", "Build the project and run its tests", test_command, "--watch"},
    {"check", "Run the tests under the sanitizers", check_command, "--thread"},
    {"fmt", "Format the sources", fmt_command, "--check"},
    {"routes", "List the routes of the project's program", routes_command},
    {"package", "Package the program and its dependencies as an archive or a container image",
     package_command, "--format"},
    {"deploy", "Copy the program to another machine with ssh and start it there", deploy_command},
    {"upgrade", "Upgrade a running service without losing a request", upgrade_command},
    {"bench", "Send requests to a URL and measure throughput and latency", bench::command},
    {"db", "Manage the schema of a database with migrations, check SQL, and generate structs",
     db_command, "new status up down seed structs check snapshot shell"},
    {"jobs", "Show, retry and discard background jobs, and pause their queues", jobs_command,
     "list show retry discard queues pause resume schedules"},
    {"openapi", "Print an OpenAPI document, generate clients, and find breaking changes",
     openapi_command, "document client diff"},
    {"doctor", "Check whether this machine can build and serve, and suggest fixes", doctor_command,
     "production"},
    {"explain", "Explain the code of a startup error, such as port-in-use", explain_command},
    {"completions", "Print the completion script for bash, zsh or fish", completions_command,
     "bash zsh fish"},
    {"views", "Compile HTML templates to C++", views_command},
    {"messages", "Collect the texts to translate, and report missing translations",
     messages_command},
});

constexpr std::string_view kFooter = R"(
eider COMMAND --help shows its options and examples. eider --version prints the version.

Exit codes: 0 success, 1 failure, 2 invalid usage, 3 success with findings, 130 stopped with Ctrl-C
)";

int list_commands() {
  std::size_t width = 0;
  for (const Command& each : kCommands) {
    width = std::max(width, each.name.size());
  }
  fmt::print("eider COMMAND [option …]\n\n");
  for (const Command& each : kCommands) {
    fmt::print("{:{}}  {}\n", each.name, width, each.what);
  }
  fmt::print("{}", kFooter);
  return kCommandDone;
}

int complain_of_command(std::string_view name) {
  std::vector<std::string> known;
  for (const Command& each : kCommands) {
    known.emplace_back(each.name);
  }
  const std::string nearest = detail::app::nearest_option(name, known);
  print_error("eider: unknown command {}{}. Run eider --help for a list\n", name,
              nearest.empty() ? "" : " (did you mean " + nearest + "?)");
  return kCommandMisused;
}

}  // namespace

std::string_view version() noexcept {
  return EIDER_VERSION;  // defined by the build
}

std::span<const Command> commands() noexcept {
  return kCommands;
}

int run_command(std::span<const std::string_view> words) {
  if (words.empty()) {
    print_error("eider: no command given. Run eider --help for a list\n");
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
  const auto command = std::ranges::find(kCommands, name, &Command::name);
  return command == kCommands.end() ? complain_of_command(name) : command->run(words.subspan(1));
}

}  // namespace eider
