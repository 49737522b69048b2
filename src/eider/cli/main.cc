// The program `eider`: chooses the command.
// Must not do a command's work.
#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <string_view>
#include <vector>

#include "eider/cli/bench/command.h"
#include "eider/cli/openapi_client.h"
#include "eider/cli/openapi_diff.h"
#include "eider/cli/version.h"

namespace {

constexpr int kUnwritten = 1;

constexpr std::string_view kHelp = R"(eider COMMAND [option …]

bench           sends requests to a URL, and tells how many were answered and how fast
openapi-client  makes a typed client from an API's document
openapi-diff    tells what of an API's newer document breaks clients of the older one

eider COMMAND --help tells more. eider --version tells which it is.
)";

int run(const std::vector<std::string_view>& arguments) {
  const std::string_view command = arguments.empty() ? std::string_view() : arguments.front();
  if (command == "bench") {
    return eider::bench::command(std::span(arguments).subspan(1));
  }
  if (command == "openapi-client") {
    return eider::openapi_client_command(std::span(arguments).subspan(1));
  }
  if (command == "openapi-diff") {
    return eider::openapi_diff(std::span(arguments).subspan(1));
  }
  if (command == "--help" || command == "-h" || command == "help") {
    fmt::print("{}", kHelp);
    return 0;
  }
  if (command == "--version") {
    fmt::print("eider {}\n", eider::version());
    return 0;
  }
  if (command.empty()) {
    fmt::print(stderr, "eider: which command? eider --help lists them.\n");
  } else {
    fmt::print(stderr, "eider: there is no command {} (eider --help lists them)\n", command);
  }
  return 2;
}

/// What could not be written must not pass for what was said: `eider … > /dev/full` fails.
int written(int status) {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) {
    return status;
  }
  std::perror("eider: standard output");
  return kUnwritten;
}

}  // namespace

int main(int argc, char** argv) try {
  return written(run({argv + (argc > 0 ? 1 : 0), argv + argc}));
} catch (const std::exception& failure) {
  fmt::print(stderr, "eider: {}\n", failure.what());
  return kUnwritten;
}
