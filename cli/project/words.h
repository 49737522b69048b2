// Parses the arguments of a command: options and other arguments.
// Layering: must not know the commands; each one requests its options.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/commands.h"
#include "eider/core/base/result.h"

namespace eider {

/// The whole numbers that an option accepts.
///
/// text  for errors: "a number from 1 to 65535"
struct NumberRange {
  std::int64_t min;
  std::int64_t max;
  std::string text;
};

/// Each read removes its option; read `rest` last.
///
///     CommandWords words(arguments);
///     const bool is_check = words.flag("--check");
///     const auto filter = words.value("--filter", "REGEX");
///     const auto rest = words.rest("NAME", 1);
class CommandWords {
 public:
  explicit CommandWords(std::span<const std::string_view> words);

  /// Returns whether the option is present.
  [[nodiscard]] bool flag(std::string_view name);
  /// Returns the value after the option, also as --name=value; the last one applies.
  ///
  /// takes  expected value, for the error if it is missing: "FILE"
  [[nodiscard]] std::optional<std::string> value(std::string_view name, std::string_view takes);
  /// The same for an option that can be repeated.
  [[nodiscard]] std::vector<std::string> values(std::string_view name, std::string_view takes);
  /// The same for a whole number; `rest` reports any other value.
  [[nodiscard]] std::optional<std::int64_t> number(std::string_view name, std::string_view takes,
                                                   const NumberRange& range);
  /// Returns the remaining arguments.
  ///
  /// takes   the expected arguments of the command: "NAME"
  /// errors  an unknown option, with a suggestion; a missing or invalid value; more than
  ///         `count_max`
  [[nodiscard]] Result<std::vector<std::string>, std::string> rest(std::string_view takes,
                                                                   std::size_t count_max);
  /// Returns the arguments after `--`, for another program.
  [[nodiscard]] const std::vector<std::string>& behind() const noexcept { return behind_; }

 private:
  std::vector<std::string> words_;
  std::vector<std::string> behind_;
  std::vector<std::string> known_;
  std::string fault_;
};

/// Returns the first argument.
///
/// errors   it is missing, or not one of the command's actions
[[nodiscard]] Result<std::string, std::string> read_action(
    std::string_view command, std::span<const std::string_view> arguments,
    std::span<const std::string_view> actions);

/// Returns whether --help or -h is present before any --, and prints the help if so.
[[nodiscard]] bool is_help(std::span<const std::string_view> words, std::string_view help);

/// Writes "eider COMMAND: what" to standard error, and returns the status.
int command_fault(std::string_view command, std::string_view what, int status = kCommandFailed);

/// Writes to standard error. A full disk or a closed descriptor there is not an error of its own.
void print_error(std::string_view text);

template <class... Values>
  requires(sizeof...(Values) > 0)
void print_error(fmt::format_string<Values...> format, Values&&... values) {
  print_error(fmt::format(format, std::forward<Values>(values)...));
}

/// Reports invalid arguments: "…; see eider COMMAND --help".
int command_misused(std::string_view command, std::string_view what);

}  // namespace eider
