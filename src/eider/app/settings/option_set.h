// An application's own options and environment names, typed by plain structs.
// Must not read a command line: options.h does.
#pragma once

#include <algorithm>
#include <charconv>
#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "eider/app/settings/live.h"
#include "eider/app/settings/secret.h"
#include "eider/core/base/result.h"
#include "eider/core/reflect/text.h"
#include "eider/core/reflect/type_of.h"
#include "eider/io/runtime/time.h"

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
  /// Of a member of a Live struct: SIGHUP takes a new value.
  bool is_reloadable = false;
};

namespace detail::app {

/// Which of several values is wrong, and what it must be: "must be between 1 and 100".
struct WrongValue {
  std::size_t index;
  std::string what;
};

/// One option, whatever its type.
struct OptionSpec {
  enum class Form : std::uint8_t {
    flag,  // --x, --x=false
    one,   // --x VALUE; the last one holds
    many,  // --x VALUE, as often as wanted; what is given takes the default's place
  };
  /// As what a settings file has its value.
  enum class Kind : std::uint8_t { boolean, integer, real, text };
  using Values = std::span<const std::string>;

  std::string section;      // empty: the program's own
  std::string name;         // "search-index-dir"
  std::string key;          // "search.index_dir"
  std::string environment;  // "NOTES_SEARCH_INDEX_DIR"; empty: none
  std::string takes;        // "FILE"
  std::string help;
  std::string initial;  // the default as text; empty: not worth a word
  /// It names the file where a secret stands, which a variable and systemd's credential of these
  /// names may hold themselves.
  bool is_secret = false;
  std::string secret_environment = {};
  std::string credential = {};
  Form form = Form::one;
  Kind kind = Kind::text;
  bool is_reloadable = false;
  bool is_for_one_call = false;  // the command line's alone: no file has it
  /// Reads what is said of it, or where that is nothing its default, and puts it aside.
  ///
  /// returns  it as TOML has it; empty: no value. Of a secret something that differs where it does
  std::function<Result<std::string, WrongValue>(std::optional<Values>)> read;
  /// Makes what was put aside its value.
  std::function<void()> take;
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
concept OptionSecret = std::is_same_v<T, Secret>;
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
/// "a\"b" with quotes, as TOML has text; of what is no UTF-8 the wrong bytes are lost.
[[nodiscard]] std::string toml_text(std::string_view text);
/// Of what cannot be told otherwise.
[[nodiscard]] std::string toml_as_said(OptionSpec::Values said, bool is_list);
/// Not the secret, but what differs where it does.
[[nodiscard]] std::string digest_of(const Secret& secret);
/// "NUMBER", "TEXT", or the names of an enum: "red|blue".
[[nodiscard]] std::string takes_of(const reflect::Type& type);

template <class T>
[[nodiscard]] Result<void, std::string> read_option(T& value, std::string_view text) {
  if constexpr (OptionOptional<T>) {
    return read_option(value.emplace(), text);
  } else if constexpr (OptionSecret<T>) {
    value = Secret(std::string(text));
    return {};
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
                  "such, a std::chrono::duration, a ByteSize, or an optional or vector of these");
    return in_words(reflect::read_text(reflect::type_of<T>(), &value, text));
  }
}

template <class T>
[[nodiscard]] std::string takes_of() {
  if constexpr (OptionOptional<T> || OptionList<T>) {
    return takes_of<typename T::value_type>();
  } else if constexpr (OptionDuration<T>) {
    return "TIME";
  } else if constexpr (OptionSecret<T>) {
    return "FILE";
  } else if constexpr (requires { T::kTakes; }) {
    return std::string(T::kTakes);
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
  } else if constexpr (OptionSecret<T>) {
    return {};
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
[[nodiscard]] constexpr OptionSpec::Kind toml_kind_of() noexcept {
  if constexpr (OptionOptional<T> || OptionList<T>) {
    return toml_kind_of<typename T::value_type>();
  } else if constexpr (OptionBounded<T>) {
    return toml_kind_of<typename T::BoundedValue>();
  } else {
    return std::is_same_v<T, bool>       ? OptionSpec::Kind::boolean
           : std::is_integral_v<T>       ? OptionSpec::Kind::integer
           : std::is_floating_point_v<T> ? OptionSpec::Kind::real
                                         : OptionSpec::Kind::text;
  }
}

/// Whether a value can be written, which one of a type of one's own need not be able to.
template <class T>
[[nodiscard]] constexpr bool has_text() noexcept {
  if constexpr (OptionOptional<T> || OptionList<T>) {
    return has_text<typename T::value_type>();
  } else {
    return !OptionOfOnesOwn<T> || requires(const T& value) { value.to_text(); };
  }
}

/// As a settings file has it; empty where there is no value.
template <class T>
[[nodiscard]] std::string toml_of(const T& value) {
  if constexpr (OptionOptional<T>) {
    return value.has_value() ? toml_of(*value) : std::string();
  } else if constexpr (OptionList<T>) {
    std::string all = "[";
    for (const auto& each : value) {
      all.append(all.size() == 1 ? "" : ", ").append(toml_of<typename T::value_type>(each));
    }
    return all + "]";
  } else if constexpr (OptionSecret<T>) {
    return digest_of(value);
  } else if constexpr (!has_text<T>()) {
    return {};
  } else if constexpr (std::is_same_v<T, bool>) {
    return value ? "true" : "false";
  } else if constexpr (toml_kind_of<T>() == OptionSpec::Kind::text) {
    return toml_text(initial_text(value));
  } else {
    return initial_text(value);
  }
}

/// A member, what it was at first, and what it is to be.
template <class T>
struct OptionTarget {
  T* member;
  T initial;
  T aside;
};

template <class T>
[[nodiscard]] Result<std::string, WrongValue> read_aside(OptionTarget<T>& target,
                                                         std::optional<OptionSpec::Values> said) {
  target.aside = target.initial;
  if (!said) {
    return toml_of(target.aside);
  }
  if constexpr (OptionList<T>) {
    target.aside.clear();
  }
  for (std::size_t index = 0; index < said->size(); ++index) {
    if (auto read = read_option(target.aside, (*said)[index]); !read) {
      return fail(WrongValue{index, std::move(read.error())});
    }
  }
  return has_text<T>() ? toml_of(target.aside) : toml_as_said(*said, OptionList<T>);
}

template <class T>
[[nodiscard]] OptionSpec make_option(T& value) {
  if constexpr (OptionOptional<T> || OptionList<T>) {
    static_assert(!OptionSecret<typename T::value_type>,
                  "a Secret stands by itself, and is empty where nobody tells it");
  }
  OptionSpec made;
  made.form = OptionList<T>             ? OptionSpec::Form::many
              : std::is_same_v<T, bool> ? OptionSpec::Form::flag
                                        : OptionSpec::Form::one;
  made.kind = toml_kind_of<T>();
  made.takes = takes_of<T>();
  made.initial = initial_text(value);
  made.is_secret = OptionSecret<T>;
  const auto target = std::make_shared<OptionTarget<T>>(&value, value, value);
  made.read = [target](std::optional<OptionSpec::Values> said) {
    return read_aside(*target, said);
  };
  made.take = [target] { *target->member = target->aside; };
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

template <class T>
consteval bool has_reloadable() {
  if constexpr (has_option_texts<T>()) {
    return std::ranges::any_of(T::kOptions, &OptionText::is_reloadable);
  } else {
    return false;
  }
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
/// A member's default is what holds where nobody says anything; the command line goes ahead of the
/// environment, and that ahead of the settings file, where it is a `database_file = "notes.db"`. In
/// the environment a list is separated by commas, and a bool is true, false, 1 or 0; on the command
/// line it is `--name` or `--name=false`.
class OptionSet {
 public:
  OptionSet() = default;
  /// program  its environment names begin so: "notes" makes NOTES_; empty: there are none
  explicit OptionSet(std::string_view program);

  /// Adds each member of a plain struct.
  ///
  /// values   is written to when the command line is read; outlives that
  /// section  in front of each name: "search" makes --search-…, NOTES_SEARCH_… and [search]
  template <class T>
  OptionSet& add(T& values, std::string_view section = {}) {
    static_assert(!detail::app::has_reloadable<T>(),
                  "what is_reloadable changes while other threads read it: have a Live<…> of it");
    return add_members(values, section);
  }
  /// The same of one that may change: outlives the serving.
  template <class T>
  OptionSet& add(Live<T>& values, std::string_view section = {}) {
    publishers_.emplace_back([&values] { values.publish(); });
    return add_members(values.draft(), section);
  }

  /// Adds a flag that is answered as `--help` is: the text on standard output, 0, nothing served.
  OptionSet& add_answer(std::string_view name, std::string_view help,
                        std::function<std::string()> answer);

  [[nodiscard]] const std::string& program() const noexcept { return program_; }
  /// What the names of its variables begin with: "NOTES_"; empty: there are none.
  [[nodiscard]] const std::string& prefix() const noexcept { return prefix_; }
  [[nodiscard]] const std::deque<detail::app::OptionSpec>& options() const noexcept {
    return options_;
  }
  /// Lets the readers of Live structs see what has been taken.
  void publish() const {
    for (const auto& publish : publishers_) {
      publish();
    }
  }

 private:
  template <class T>
  OptionSet& add_members(T& values, std::string_view section) {
    reflect::for_each_member(values, [&](std::string_view member, auto& value) {
      add(detail::app::make_option(value), detail::app::text_about<T>(member), section);
    });
    return *this;
  }
  /// Throws a Failure where an option of that name is there already.
  void add(detail::app::OptionSpec made, const OptionText& text, std::string_view section);

  std::string program_;
  std::string prefix_;
  std::deque<detail::app::OptionSpec> options_;
  std::vector<std::function<void()>> publishers_;
};

}  // namespace eider
