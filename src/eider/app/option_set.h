// An application's own options and environment names, typed by plain structs.
// Must not read a command line: options.h does.
#pragma once

#include <charconv>
#include <chrono>
#include <concepts>
#include <cstdint>
#include <deque>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include "eider/base/result.h"
#include "eider/reflect/text.h"
#include "eider/reflect/type_of.h"
#include "eider/runtime/time.h"

namespace eider {

/// What `--help` says of one member of an options struct, beside what its type and default say.
struct OptionText {
  std::string_view member;
  std::string_view help;
  /// What stands for the value, such as "FILE"; empty: by the type.
  std::string_view takes = {};
  /// Not of one that is for a single call, such as a flag by which the program does something else:
  /// left in the environment it would hold for every later one.
  bool is_in_environment = true;
};

namespace detail::app {

/// One option, whatever its type.
struct OptionSpec {
  enum class Form : std::uint8_t {
    flag,  // --x, --x=false
    one,   // --x VALUE; the last one holds
    many,  // --x VALUE, as often as wanted; what is given takes the default's place
  };

  std::string section;      // empty: the program's own
  std::string name;         // "database-file"
  std::string environment;  // "NOTES_DATABASE_FILE"; empty: none
  std::string takes;        // "FILE"
  std::string help;
  std::string initial;  // the default as text; empty: not worth a word
  Form form = Form::one;
  /// Takes one value; of many, behind those before.
  ///
  /// errors  what it must be: "must be between 1 and 100"
  std::function<Result<void, std::string>(std::string_view)> assign;
  /// Of many: forgets the default.
  std::function<void()> clear;
  /// Of a flag: what is told in place of serving; null: it is read as any other.
  std::function<std::string()> answer = {};
};

template <class T>
concept OptionDuration = requires { typename T::period; };
template <class T>
concept OptionOptional = requires(T& value) {
  value.emplace();
  value.reset();
};
template <class T>
concept OptionList = requires(T& value) {
  value.emplace_back();
  value.clear();
} && !std::is_same_v<T, std::string>;
template <class T>
concept OptionBounded = requires { typename T::BoundedValue; };
/// One that says itself what its text means: errors are what it must be.
template <class T>
concept OptionOfOnesOwn = requires(std::string_view text) {
  { T::from_text(text) } -> std::same_as<Result<T, std::string>>;
};
template <class T>
concept OptionScalar = std::is_arithmetic_v<T> || std::is_same_v<T, std::string> ||
                       std::is_enum_v<T> || OptionBounded<T>;

/// "must be a time, as 250ms, 10s, 5m or 2h"
[[nodiscard]] std::string duration_requirement();
[[nodiscard]] Result<void, std::string> in_words(
    const Result<void, std::vector<Requirement>>& read);
/// The one of `known` that was probably meant by `wrong`; empty where none is near.
[[nodiscard]] std::string nearest_option(std::string_view wrong,
                                         std::span<const std::string> known);
/// "NUMBER", "TEXT", or the names of an enum: "red|blue".
[[nodiscard]] std::string takes_of(const reflect::Type& type);

template <class T>
[[nodiscard]] Result<void, std::string> read_option(T& value, std::string_view text) {
  if constexpr (OptionOptional<T>) {
    return read_option(value.emplace(), text);
  } else if constexpr (OptionOfOnesOwn<T>) {
    auto read = T::from_text(text);
    if (!read) {
      return fail(std::move(read.error()));
    }
    value = *std::move(read);
    return {};
  } else if constexpr (OptionList<T>) {
    return read_option(value.emplace_back(), text);
  } else if constexpr (OptionDuration<T>) {
    const auto read = parse_duration(text);
    if (!read || std::chrono::duration_cast<T>(*read) != *read) {
      return fail(duration_requirement());
    }
    value = std::chrono::duration_cast<T>(*read);
    return {};
  } else if constexpr (std::is_same_v<T, bool>) {
    const bool is_digit = text == "1" || text == "0";  // as environments have it
    return in_words(reflect::read_text(reflect::type_of<bool>(), &value,
                                       !is_digit     ? text
                                       : text == "1" ? "true"
                                                     : "false"));
  } else {
    static_assert(OptionScalar<T>,
                  "an option is a bool, a number, a std::string, an enum, a Range or Length of "
                  "such, a std::chrono::duration, or an optional or vector of these");
    return in_words(reflect::read_text(reflect::type_of<T>(), &value, text));
  }
}

template <class T>
[[nodiscard]] std::string takes_of() {
  if constexpr (OptionOptional<T> || OptionList<T>) {
    return takes_of<typename T::value_type>();
  } else if constexpr (OptionDuration<T>) {
    return "TIME";
  } else if constexpr (OptionOfOnesOwn<T>) {
    return "TEXT";
  } else {
    return takes_of(reflect::type_of<T>());
  }
}

/// The default, for people; empty where nothing is there.
template <class T>
[[nodiscard]] std::string initial_text(const T& value) {
  if constexpr (OptionOptional<T>) {
    return value.has_value() ? initial_text(*value) : std::string();
  } else if constexpr (OptionList<T>) {
    std::string all;
    for (const auto& each : value) {
      all.append(all.empty() ? "" : ",").append(initial_text(each));
    }
    return all;
  } else if constexpr (OptionDuration<T>) {
    return format_duration(value);
  } else if constexpr (OptionOfOnesOwn<T>) {
    if constexpr (requires { value.to_text(); }) {
      return value.to_text();
    } else {
      return {};
    }
  } else if constexpr (OptionBounded<T>) {
    return initial_text<typename T::BoundedValue>(*value);
  } else if constexpr (std::is_enum_v<T>) {
    const auto* const found =
        reflect::type_of<T>().enumeration().find(static_cast<std::int64_t>(value));
    return found == nullptr ? std::string() : std::string(found->name);
  } else if constexpr (std::is_same_v<T, bool>) {
    return value ? "on" : "";
  } else if constexpr (std::is_arithmetic_v<T>) {
    char digits[32];
    return {digits, std::to_chars(digits, digits + sizeof(digits), value).ptr};
  } else {
    return value;
  }
}

template <class T>
[[nodiscard]] OptionSpec make_option(T& value) {
  OptionSpec made;
  made.form = OptionList<T>             ? OptionSpec::Form::many
              : std::is_same_v<T, bool> ? OptionSpec::Form::flag
                                        : OptionSpec::Form::one;
  made.takes = takes_of<T>();
  made.initial = initial_text(value);
  made.assign = [&value](std::string_view text) { return read_option(value, text); };
  if constexpr (OptionList<T>) {
    made.clear = [&value] { value.clear(); };
  }
  return made;
}

/// The struct's own words about its members; null where it has none.
template <class T>
[[nodiscard]] consteval bool has_option_texts() {
  return requires { T::kOptions; };
}

/// Whether each text is about a member that there is.
template <class T>
consteval bool are_about_members() {
  for (const OptionText& text : T::kOptions) {
    bool is_found = false;
    for (const std::string_view name : reflect::member_names<T>()) {
      is_found = is_found || name == text.member;
    }
    if (!is_found) {
      return false;
    }
  }
  return true;
}

template <class T>
[[nodiscard]] OptionText text_about(std::string_view member) {
  if constexpr (has_option_texts<T>()) {
    static_assert(are_about_members<T>(), "kOptions speaks of a member that is not there");
    for (const OptionText& text : T::kOptions) {
      if (text.member == member) {
        return text;
      }
    }
  }
  return {.member = member, .help = {}};
}

}  // namespace detail::app

/// Options of a program beside those of every Eider application.
///
///     struct NotesOptions {
///       std::string database_file = "notes.db";     // --database-file, NOTES_DATABASE_FILE
///       std::vector<std::string> hosts = {};        // --hosts, as often as wanted
///       std::chrono::seconds kept_for = 30s;        // --kept-for 5m
///
///       static constexpr OptionText kOptions[] = {{"database_file", "where notes are kept"}};
///     };
///     …
///     NotesOptions own;
///     auto options = read_command_line(argc, argv, OptionSet("notes").add(own));
///
/// A member's default is what holds where neither the command line nor the environment says
/// anything; the command line goes first. In the environment a list is separated by commas, and a
/// bool is true, false, 1 or 0; on the command line it is `--name` or `--name=false`.
class OptionSet {
 public:
  OptionSet() = default;
  /// program  its environment names begin so: "notes" makes NOTES_; empty: there are none
  explicit OptionSet(std::string_view program) : program_(program) {}

  /// Adds each member of a plain struct.
  ///
  /// values   is written to when the command line is read; outlives that
  /// section  in front of each name: "search" makes --search-… and NOTES_SEARCH_…
  template <class T>
  OptionSet& add(T& values, std::string_view section = {}) {
    reflect::for_each_member(values, [&](std::string_view member, auto& value) {
      add(detail::app::make_option(value), detail::app::text_about<T>(member), section);
    });
    return *this;
  }

  /// Adds a flag that is answered as `--help` is: the text on standard output, 0, nothing served.
  OptionSet& add_answer(std::string_view name, std::string_view help,
                        std::function<std::string()> answer);

  [[nodiscard]] const std::string& program() const noexcept { return program_; }
  [[nodiscard]] const std::deque<detail::app::OptionSpec>& options() const noexcept {
    return options_;
  }

 private:
  /// Throws a Failure where an option of that name is there already.
  void add(detail::app::OptionSpec made, const OptionText& text, std::string_view section);

  std::string program_;
  std::deque<detail::app::OptionSpec> options_;
};

}  // namespace eider
