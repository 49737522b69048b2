// The options of an application, declared by plain structs.
// Layering: must not read a command line; options.h does.
#pragma once

#include <algorithm>
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

#include "eider/app/settings/reloadable.h"
#include "eider/app/settings/secret.h"
#include "eider/core/base/result.h"
#include "eider/core/base/text.h"
#include "eider/core/reflect/option_text.h"
#include "eider/core/reflect/text_kind.h"
#include "eider/core/reflect/type_of.h"
#include "eider/io/runtime/time.h"

namespace eider {

namespace detail::app {

/// The index of the invalid value, and its requirement: "must be between 1 and 100".
struct WrongValue {
  std::size_t index;
  std::string what;
};

/// One option, of any type.
struct OptionSpec {
  enum class Form : std::uint8_t {
    flag,  // --x, --x=false
    one,   // --x VALUE
    many,  // --x VALUE, several times; replaces the whole default
  };
  /// The type of the value in a settings file.
  enum class Kind : std::uint8_t { boolean, integer, real, text };
  using Values = std::span<const std::string>;

  std::string section;      // empty: an option of the program itself
  std::string name;         // "search-index-dir"
  std::string key;          // "search.index_dir"
  std::string environment;  // "NOTES_SEARCH_INDEX_DIR"; empty: none
  std::string takes;        // the value in the help text: "FILE"
  std::string help;
  std::string initial;  // the default as text; empty: not shown
  std::string group;    // see OptionText
  /// The value is the name of a file with a secret, which an environment variable and a systemd
  /// credential of these names may contain themselves.
  bool is_secret = false;
  std::string secret_environment = {};
  std::string credential = {};
  Form form = Form::one;
  Kind kind = Kind::text;
  bool is_reloadable = false;
  bool is_for_one_call = false;  // command line only, not in settings files
  bool is_advanced = false;      // see OptionText
  /// Reads these values, or without any the default, and stores the result for `take`.
  ///
  /// returns  the value as TOML; empty: no value. For a secret, a text that changes when the secret
  ///          does
  std::function<Result<std::string, WrongValue>(std::optional<Values>)> read;
  /// Writes the stored result to the member.
  std::function<void()> take;
  /// For a flag: returns the text that is printed instead of serving; null: an ordinary flag.
  std::function<std::string()> output = {};
};

/// How one value of an option is read and written.
struct OptionValue {
  std::string takes;
  OptionSpec::Kind kind = OptionSpec::Kind::text;
  std::function<Result<void, std::string>(void* value, std::string_view text)> read;
  /// returns  nothing if the value has no text, or is outside of the bounds. Null: never has one
  std::function<std::optional<std::string>(const void* value)> write;
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
/// A type with its own text form: an error is the requirement, "must be …".
template <class T>
concept OptionOfOnesOwn = requires(std::string_view text) {
  { T::from_text(text) } -> std::same_as<Result<T, std::string>>;
};
template <class T>
concept OptionScalar =
    std::is_arithmetic_v<T> || std::is_same_v<T, std::string> || std::is_enum_v<T> ||
    reflect::TextLike<T> || requires { typename T::ConstrainedValue; };

/// Returns the one of `known` that was probably meant by `wrong`; empty if none is similar.
[[nodiscard]] std::string nearest_option(std::string_view wrong,
                                         std::span<const std::string> known);
/// Returns `text` with line breaks instead of spaces, so that lines have at most `width` bytes.
[[nodiscard]] std::string wrapped(std::string_view text, std::size_t width);
/// Returns a quoted TOML string, "a\"b"; invalid UTF-8 is replaced.
[[nodiscard]] std::string toml_text(std::string_view text);
/// Returns values of a type without a `write` function as TOML, as they were given.
[[nodiscard]] std::string toml_as_said(OptionSpec::Values said, bool is_list);
/// Returns values that option_value's `write` has returned as TOML.
[[nodiscard]] std::string toml_of(const std::vector<std::string>& values, OptionSpec::Kind kind,
                                  bool is_list);

/// Return how Secrets, durations and the types that `reflect` describes are read and written.
[[nodiscard]] OptionValue secret_value();
[[nodiscard]] OptionValue duration_value(const OptionText& text, Duration (*load)(const void*),
                                         bool (*store)(void*, Duration));
[[nodiscard]] OptionValue scalar_value(const OptionText& text, const reflect::Type& type);

template <class T>
[[nodiscard]] OptionValue own_value() {
  OptionValue made{.takes = "TEXT", .read = {}, .write = {}};
  if constexpr (requires { T::kMetavar; }) {
    made.takes = T::kMetavar;
  }
  made.read = [](void* value, std::string_view text) -> Result<void, std::string> {
    auto read = T::from_text(text);
    if (!read) {
      return fail(std::move(read.error()));
    }
    *static_cast<T*>(value) = *std::move(read);
    return {};
  };
  if constexpr (requires(const T& value) { value.to_text(); }) {
    made.write = [](const void* value) {
      return std::optional(static_cast<const T*>(value)->to_text());
    };
  }
  return made;
}

/// T  type of one value; for a list, that of its elements
template <class T>
[[nodiscard]] OptionValue option_value(const OptionText& text) {
  if constexpr (std::is_same_v<T, Secret>) {
    return secret_value();
  } else if constexpr (OptionDuration<T>) {
    return duration_value(
        text, [](const void* value) { return Duration(*static_cast<const T*>(value)); },
        [](void* value, Duration read) {
          *static_cast<T*>(value) = std::chrono::duration_cast<T>(read);
          return *static_cast<T*>(value) == read;
        });
  } else if constexpr (OptionOfOnesOwn<T>) {
    return own_value<T>();
  } else {
    static_assert(OptionScalar<T>,
                  "an option must be a bool, a number, a std::string, an enum, a Bounded or Sized "
                  "of these, a std::chrono::duration or a ByteSize. An optional or a vector of "
                  "these is allowed, too");
    return scalar_value(text, reflect::type_of<T>());
  }
}

/// A member, its default, and the next value until it is applied.
template <class T>
struct OptionTarget {
  T* member;
  T initial;
  T aside;
  OptionValue each;

  [[nodiscard]] std::vector<std::string> texts() const {
    std::vector<std::string> all;
    const auto put = [&](const void* value) {
      if (auto text = each.write ? each.write(value) : std::nullopt) {
        all.push_back(*std::move(text));
      }
    };
    if constexpr (OptionOptional<T>) {
      if (aside.has_value()) {
        put(&*aside);
      }
    } else if constexpr (OptionList<T>) {
      std::ranges::for_each(aside, [&](const auto& value) { put(&value); });
    } else {
      put(&aside);
    }
    return all;
  }
  [[nodiscard]] Result<void, std::string> add(std::string_view text) {
    if constexpr (OptionOptional<T>) {
      return each.read(&aside.emplace(), text);
    } else if constexpr (OptionList<T>) {
      return each.read(&aside.emplace_back(), text);
    } else {
      return each.read(&aside, text);
    }
  }
};

template <class T>
[[nodiscard]] Result<std::string, WrongValue> read_aside(OptionTarget<T>& target,
                                                         std::optional<OptionSpec::Values> said) {
  target.aside = target.initial;
  if constexpr (OptionList<T>) {
    if (said) {
      target.aside.clear();
    }
  }
  for (std::size_t index = 0; said && index < said->size(); ++index) {
    if (auto read = target.add((*said)[index]); !read) {
      return fail(WrongValue{index, std::move(read.error())});
    }
  }
  return said && !target.each.write ? toml_as_said(*said, OptionList<T>)
                                    : toml_of(target.texts(), target.each.kind, OptionList<T>);
}

template <class T>
struct OptionElement {
  using Type = T;
};
template <class T>
  requires OptionOptional<T> || OptionList<T>
struct OptionElement<T> {
  using Type = typename T::value_type;
  static_assert(!std::is_same_v<Type, Secret>,
                "a Secret cannot be optional or in a list; without a value it is empty");
};

template <class T>
[[nodiscard]] OptionSpec make_option(T& value, const OptionText& text) {
  const auto target = std::make_shared<OptionTarget<T>>(
      &value, value, value, option_value<typename OptionElement<T>::Type>(text));
  OptionSpec made;
  made.form = OptionList<T>             ? OptionSpec::Form::many
              : std::is_same_v<T, bool> ? OptionSpec::Form::flag
                                        : OptionSpec::Form::one;
  made.kind = target->each.kind;
  made.takes = target->each.takes;
  made.is_secret = std::is_same_v<T, Secret>;
  if (!made.is_secret) {
    made.initial = joined(target->texts(), ",");
  }
  made.read = [target](std::optional<OptionSpec::Values> said) {
    return read_aside(*target, said);
  };
  made.take = [target] { *target->member = target->aside; };
  return made;
}

/// Returns whether the struct describes its members.
template <class T>
[[nodiscard]] consteval bool has_option_texts() {
  return requires { T::kOptions; };
}

/// Returns whether each text is about an existing member.
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
    static_assert(are_about_members<T>(), "kOptions names a member that does not exist");
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

/// Options of a program, in addition to those of every Eider application.
///
///     struct NotesOptions {
///       std::string database_file = "notes.db";     // --database-file, NOTES_DATABASE_FILE
///       std::vector<std::string> hosts = {};        // --hosts, can be repeated
///       std::chrono::seconds kept_for = 30s;        // --kept-for 5m
///
///       static constexpr OptionText kOptions[] = {{"database_file", "File with the notes"}};
///     };
///     …
///     NotesOptions own;
///     auto options = read_command_line(argc, argv, OptionSet("notes").add(own));
///
/// The command line overrides the environment, and that overrides the settings file, which has
/// `database_file = "notes.db"`; without a value in any of them, the member's default applies. In
/// the environment a list is separated by commas, and a bool is true, false, 1 or 0; on the command
/// line it is `--name` or `--name=false`.
class OptionSet {
 public:
  OptionSet() = default;
  /// program  prefix of its environment variables: "notes" makes NOTES_; empty: no environment
  ///          variables
  explicit OptionSet(std::string_view program);

  /// Adds each member of a plain struct.
  ///
  /// values   is written to when the command line is read; must outlive that
  /// section  prefix of each name: "search" makes --search-…, NOTES_SEARCH_… and [search]
  template <class T>
  OptionSet& add(T& values, std::string_view section = {}) {
    static_assert(!detail::app::has_reloadable<T>(),
                  "a struct with is_reloadable must be in a Reloadable<…>: other threads read it");
    return add_members(values, section);
  }
  /// Adds each member of a struct that can change while the program serves; it must outlive the
  /// server.
  template <class T>
  OptionSet& add(Reloadable<T>& values, std::string_view section = {}) {
    publishers_.emplace_back([&values] { values.publish(); });
    return add_members(values.draft(), section);
  }

  /// Adds one option that is not the member of a described struct.
  ///
  /// value  as for add()
  template <class T>
  OptionSet& add_option(T& value, const OptionText& text) {
    add(detail::app::make_option(value, text), text, {});
    return *this;
  }
  /// Adds a flag that, like `--help`, prints a text and exits with 0.
  OptionSet& add_output(std::string_view name, std::string_view help,
                        std::function<std::string()> output);

  [[nodiscard]] const std::string& program() const noexcept { return program_; }
  /// Returns the prefix of the environment variables: "NOTES_"; empty: no variables.
  [[nodiscard]] const std::string& prefix() const noexcept { return prefix_; }
  [[nodiscard]] const std::deque<detail::app::OptionSpec>& options() const noexcept {
    return options_;
  }
  /// Publishes the applied values to the readers of Reloadable structs.
  void publish() const {
    for (const auto& publish : publishers_) {
      publish();
    }
  }

 private:
  template <class T>
  OptionSet& add_members(T& values, std::string_view section) {
    reflect::for_each_member(values, [&](std::string_view member, auto& value) {
      const OptionText text = detail::app::text_about<T>(member);
      add(detail::app::make_option(value, text), text, section);
    });
    return *this;
  }
  /// Throws a Failure if there is an option of that name.
  void add(detail::app::OptionSpec made, const OptionText& text, std::string_view section);

  std::string program_;
  std::string prefix_;
  std::deque<detail::app::OptionSpec> options_;
  std::vector<std::function<void()>> publishers_;
};

}  // namespace eider
