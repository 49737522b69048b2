// The commands of the program `eider`: what there is, found by name.
// Must not do a command's work: a line in commands.cc names the function that does.
#pragma once

#include <span>
#include <string_view>

namespace eider {

/// What a program ends with; docs/reference/cli.md tells users.
///
/// kCommandFailed    what was asked for is not done, standard error says why
/// kCommandMisused   the words were not understood, nothing was done
/// kCommandFound     it is done, and has found what it looks for: a difference, something that
/// waits kCommandStopped   by Ctrl-C, as shells say it (128 + SIGINT)
inline constexpr int kCommandDone = 0;
inline constexpr int kCommandFailed = 1;
inline constexpr int kCommandMisused = 2;
inline constexpr int kCommandFound = 3;
inline constexpr int kCommandStopped = 130;

/// name   one word
/// what   a line for the list
/// run    gets the words behind the name, `--help` among them, and gives the exit code
/// words  what may follow first, for completions: "client diff"
struct Command {
  std::string_view name;
  std::string_view what;
  int (*run)(std::span<const std::string_view> words);
  std::string_view words = {};
};

/// In the order in which they are listed.
[[nodiscard]] std::span<const Command> commands() noexcept;

/// Finds the command by the first word, and runs it.
[[nodiscard]] int run_command(std::span<const std::string_view> words);

}  // namespace eider
