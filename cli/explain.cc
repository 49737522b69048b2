// eider explain: the cause of a startup error, and the fix.
#include <fmt/format.h>

#include <cstdio>

#include "cli/commands.h"
#include "cli/project/words.h"
#include "eider/core/base/startup_code.h"

namespace eider {

namespace {

constexpr std::string_view kHelp = R"(eider explain [CODE]

Prints the cause and the fix of a startup error. The code is in the message of the program, such as
error[port-in-use] or code=port-in-use. Without a code, the command lists all codes.

  eider explain port-in-use

Exit codes: 0 success, 2 invalid usage
)";

}  // namespace

int explain_command(std::span<const std::string_view> words) {
  using detail::base::find_startup_code;
  using detail::base::StartupCode;
  if (!words.empty() && (words.front() == "--help" || words.front() == "-h")) {
    fmt::print("{}", kHelp);
    return kCommandDone;
  }
  if (words.empty()) {
    for (const StartupCode& code : detail::base::kStartupCodes) {
      fmt::print("{:25} {}\n", code.name, code.cause);
    }
    return kCommandDone;
  }
  if (words.size() > 1) {
    print_error("eider explain: expected one code, found {}\n", words.size());
    return kCommandMisused;
  }
  const StartupCode* const code = find_startup_code(words.front());
  if (code == nullptr) {
    print_error("eider explain: {} is not a code. Run eider explain for a list\n", words.front());
    return kCommandMisused;
  }
  fmt::print("{}\n\nCause: {}\nFix: {}\n", code->name, code->cause, code->fix);
  return kCommandDone;
}

}  // namespace eider
