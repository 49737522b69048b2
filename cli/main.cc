// The program `eider`: runs a command and returns its exit code.
// Must not know the commands: commands.cc does.
#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <exception>
#include <string_view>
#include <vector>

#include "cli/commands.h"
#include "cli/project/words.h"

namespace {

/// Returns a failure if the output could not be written: `eider … > /dev/full` fails.
int written(int status) {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) {
    return status;
  }
  std::perror("eider: standard output");
  return eider::kCommandFailed;
}

}  // namespace

int main(int argc, char** argv) try {
  // A file that is opened later must not become standard output or standard error.
  while (true) {
    const int opened = ::open("/dev/null", O_RDWR);
    if (opened < 0 || opened > STDERR_FILENO) {
      (void)::close(opened);
      break;
    }
  }
  const std::vector<std::string_view> words{argv + (argc > 0 ? 1 : 0), argv + argc};
  return written(eider::run_command(words));
} catch (const std::exception& failure) {
  eider::print_error("eider: {}\n", failure.what());
  return eider::kCommandFailed;
}
