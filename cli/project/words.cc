#include "cli/project/words.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <utility>

#include "eider/app/settings/option_set.h"
#include "eider/core/base/text.h"

namespace eider {

CommandWords::CommandWords(std::span<const std::string_view> words) {
  const auto end = std::ranges::find(words, "--");
  words_.assign(words.begin(), end);
  if (end != words.end()) {
    behind_.assign(end + 1, words.end());
  }
}

bool CommandWords::flag(std::string_view name) {
  known_.emplace_back(name);
  return std::erase(words_, name) != 0;
}

std::optional<std::string> CommandWords::value(std::string_view name, std::string_view takes) {
  std::vector<std::string> all = values(name, takes);
  return all.empty() ? std::nullopt : std::optional(std::move(all.back()));
}

std::vector<std::string> CommandWords::values(std::string_view name, std::string_view takes) {
  known_.emplace_back(name);
  const std::string with_equals = std::string(name) + "=";
  std::vector<std::string> found;
  for (auto at = words_.begin(); at != words_.end();) {
    if (at->starts_with(with_equals)) {
      found.push_back(at->substr(with_equals.size()));
      at = words_.erase(at);
    } else if (*at != name) {
      ++at;
    } else if (at + 1 == words_.end()) {
      fault_ = fmt::format("{} requires a value ({})", name, takes);
      return found;
    } else {
      found.push_back(*(at + 1));
      at = words_.erase(at, at + 2);
    }
  }
  return found;
}

std::optional<std::int64_t> CommandWords::number(std::string_view name, std::string_view takes,
                                                 const NumberRange& range) {
  const auto said = value(name, takes);
  const auto number = said ? parse_integer<std::int64_t>(*said) : std::nullopt;
  if (said && (!number || *number < range.min || *number > range.max)) {
    fault_ = fmt::format("{} must be {}, not {}", name, range.text, *said);
  }
  return number;
}

Result<std::vector<std::string>, std::string> CommandWords::rest(std::string_view takes,
                                                                 std::size_t count_max) {
  if (!fault_.empty()) {
    return fail(fault_);
  }
  for (const std::string& word : words_) {
    if (word.starts_with("-") && word != "-") {  // "-" is standard input
      const std::string option = word.substr(0, word.find('='));
      const std::string nearest = detail::app::nearest_option(option, known_);
      return fail(fmt::format("unknown option {}{}", option,
                              nearest.empty() ? "" : " (did you mean " + nearest + "?)"));
    }
  }
  if (words_.size() > count_max) {
    return fail(takes.empty() ? fmt::format("unexpected argument {}", words_[count_max])
                              : fmt::format("unexpected argument {}; expected: {}",
                                            words_[count_max], takes));
  }
  return words_;
}

Result<std::string, std::string> read_action(std::string_view command,
                                             std::span<const std::string_view> arguments,
                                             std::span<const std::string_view> actions) {
  if (!arguments.empty() && std::ranges::find(actions, arguments.front()) != actions.end()) {
    return std::string(arguments.front());
  }
  return fail(fmt::format(
      "{} Actions: {}; see eider {} --help",
      arguments.empty() ? "no action given." : fmt::format("unknown action {}.", arguments.front()),
      fmt::join(actions, ", "), command));
}

bool is_help(std::span<const std::string_view> words, std::string_view help) {
  const auto end = std::ranges::find(words, "--");
  if (std::find(words.begin(), end, "--help") == end &&
      std::find(words.begin(), end, "-h") == end) {
    return false;
  }
  fmt::print("{}", help);
  return true;
}

int command_fault(std::string_view command, std::string_view what, int status) {
  (void)std::fflush(stdout);  // keeps the order of both streams
  print_error("eider {}: {}\n", command, what);
  return status;
}

void print_error(std::string_view text) {
  (void)std::fwrite(text.data(), 1, text.size(), stderr);
}

int command_misused(std::string_view command, std::string_view what) {
  return command_fault(command, fmt::format("{}; see eider {} --help", what, command),
                       kCommandMisused);
}

}  // namespace eider
