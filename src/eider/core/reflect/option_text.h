// The text of one option of a program, and the values it accepts.
// Layering: plain data without conversions, which app/settings has.
#pragma once

#include <cstdint>
#include <string_view>

namespace eider {

/// How the value of a number or a duration is written.
enum class OptionUnit : std::uint8_t {
  none,
  bytes,    // an unsigned integer, written as "64KiB"
  seconds,  // a duration, written as a whole number of seconds
  octal,    // an unsigned integer, written as "027"
};

/// Describes one member of an options struct for `--help`, in addition to its type and default.
struct OptionText {
  std::string_view member;
  std::string_view help;
  /// The placeholder of the value, such as "FILE". Default: by the type.
  std::string_view takes = {};
  /// Shown as the default if the member has no value, or one outside of the bounds.
  std::string_view initial = {};
  /// Bounds of an unsigned integer or a duration, written as its values are: "1KiB". Default: the
  /// bounds of the type.
  std::string_view least = {};
  std::string_view most = {};
  OptionUnit unit = OptionUnit::none;
  /// Set to false for an option of a single call, such as a flag that prints something and exits:
  /// in the environment it would apply to every later call.
  bool is_in_environment = true;
  /// Whether it is a member of a Reloadable struct: SIGHUP reads a new value.
  bool is_reloadable = false;
  /// Shown by `--help-all`, but not by `--help`.
  bool is_advanced = false;
  /// The heading in `--help`. Default: the name of the program or of the section.
  std::string_view group = {};
};

}  // namespace eider
