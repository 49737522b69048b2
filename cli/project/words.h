// Parses the arguments of a command: options and other arguments.
// Layering: must not know the commands; each one requests its options.
#pragma once

#include <fmt/format.h>

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/commands.h"
#include "eider/core/base/result.h"

namespace eider {

/// Options are asked for one after the other and taken out; `rest` comes last.
///
///     CommandWords words(arguments);
///     const bool is_check = words.flag("--check");
///     const auto filter = words.value("--filter", "REGEX");
///     const auto rest = words.rest("NAME", 1);
class CommandWords {
 public:
  explicit CommandWords(std::span<const std::string_view> words);

  /// Whether it is there.
  [[nodiscard]] bool flag(std::string_view name);
  /// What follows it, also as --name=value; the last one holds.
  ///
  /// takes  what it is told to take where nothing follows: "FILE"
  [[nodiscard]] std::optional<std::string> value(std::string_view name, std::string_view takes);
  /// The same, of one that may be said as often as wanted.
  [[nodiscard]] std::vector<std::string> values(std::string_view name, std::string_view takes);
  /// What is left.
  ///
  /// takes   what the command takes: "NAME"
  /// errors  an unknown option, with the one that was meant; a missing value; more than `count_max`
  [[nodiscard]] Result<std::vector<std::string>, std::string> rest(std::string_view takes,
                                                                   std::size_t count_max);
  /// What stood behind `--`, for another program.
  [[nodiscard]] const std::vector<std::string>& behind() const noexcept { return behind_; }

 private:
  std::vector<std::string> words_;
  std::vector<std::string> behind_;
  std::vector<std::string> known_;
  std::string fault_;
};

/// Whether help is asked for (--help, -h, ahead of any --); then it is printed.
[[nodiscard]] bool is_help(std::span<const std::string_view> words, std::string_view help);

/// Writes "eider COMMAND: what" to standard error, and gives the status back.
int command_fault(std::string_view command, std::string_view what, int status = kCommandFailed);

/// Writes to standard error. A full disk or a closed descriptor there is not an error of its own.
void print_error(std::string_view text);

template <class... Values>
  requires(sizeof...(Values) > 0)
void print_error(fmt::format_string<Values...> format, Values&&... values) {
  print_error(fmt::format(format, std::forward<Values>(values)...));
}

/// Of words that were not understood: "…; see eider COMMAND --help".
int command_misused(std::string_view command, std::string_view what);

}  // namespace eider
