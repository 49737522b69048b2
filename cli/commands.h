// The commands of the program `eider`, found by name.
// Layering: must not implement commands; commands.cc has their functions.
#pragma once

#include <span>
#include <string_view>

namespace eider {

/// Exit codes, as in docs/reference/eider-command.md.
///
/// kCommandFailed   failure; standard error has the reason
/// kCommandMisused  invalid usage; nothing was done
/// kCommandFound    success with findings: a difference, a pending migration
/// kCommandStopped  stopped with Ctrl-C, as in shells (128 + SIGINT)
inline constexpr int kCommandDone = 0;
inline constexpr int kCommandFailed = 1;
inline constexpr int kCommandMisused = 2;
inline constexpr int kCommandFound = 3;
inline constexpr int kCommandStopped = 130;

/// name   one word
/// what   one line for the list
/// run    gets the arguments after the name, also `--help`; returns the exit code
/// words  the first arguments, for completions: "client diff"
struct Command {
  std::string_view name;
  std::string_view what;
  int (*run)(std::span<const std::string_view> words);
  std::string_view words = {};
};

/// Runs each command with the arguments after its name; returns the exit code.
[[nodiscard]] int add_command(std::span<const std::string_view> words);
[[nodiscard]] int build_command(std::span<const std::string_view> words);
[[nodiscard]] int check_command(std::span<const std::string_view> words);
[[nodiscard]] int completions_command(std::span<const std::string_view> words);
[[nodiscard]] int db_command(std::span<const std::string_view> words);
[[nodiscard]] int deploy_command(std::span<const std::string_view> words);
[[nodiscard]] int doctor_command(std::span<const std::string_view> words);
[[nodiscard]] int explain_command(std::span<const std::string_view> words);
[[nodiscard]] int fmt_command(std::span<const std::string_view> words);
[[nodiscard]] int jobs_command(std::span<const std::string_view> words);
[[nodiscard]] int messages_command(std::span<const std::string_view> words);
[[nodiscard]] int new_command(std::span<const std::string_view> words);
[[nodiscard]] int openapi_command(std::span<const std::string_view> words);
[[nodiscard]] int openapi_client_command(std::span<const std::string_view> words);
[[nodiscard]] int openapi_diff(std::span<const std::string_view> words);
[[nodiscard]] int document_command(
    std::span<const std::string_view> words);  // eider openapi document
[[nodiscard]] int package_command(std::span<const std::string_view> words);
[[nodiscard]] int routes_command(std::span<const std::string_view> words);
[[nodiscard]] int test_command(std::span<const std::string_view> words);
[[nodiscard]] int upgrade_command(std::span<const std::string_view> words);
[[nodiscard]] int views_command(std::span<const std::string_view> words);
namespace bench {
[[nodiscard]] int command(std::span<const std::string_view> words);
}  // namespace bench
namespace dev {
[[nodiscard]] int command(std::span<const std::string_view> words);
/// Replaces this process with the program.
[[nodiscard]] int run_file(std::span<const std::string_view> words);
}  // namespace dev

/// Returns the version of the build: "0.1.0".
[[nodiscard]] std::string_view version() noexcept;

/// Returns the commands in the order of the list.
[[nodiscard]] std::span<const Command> commands() noexcept;

/// Finds the command by the first word, and runs it.
[[nodiscard]] int run_command(std::span<const std::string_view> words);

}  // namespace eider
