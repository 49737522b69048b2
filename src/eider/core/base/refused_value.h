// A request value that was rejected; the app uses it to name the member that contained it.
// Layering: must not be sent to clients: the app only searches for it in the client's own request.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace eider {

/// text    as the program used it: the characters of a text, the digits of a number
/// detail  the error message for the client: "must not contain a NUL character"
struct RefusedValue {
  std::string text;
  std::string detail;

  /// Returns whether `given` is the rejected value. A NUL may also be part of a longer text, for
  /// example a search pattern that was made from the input.
  [[nodiscard]] bool is_in(std::string_view given) const noexcept {
    return given == text || (given.contains('\0') && text.contains('\0'));
  }
};

/// A base class of exceptions that a single value has caused.
class CausedByValue {
 public:
  virtual ~CausedByValue() = default;
  /// Returns null if the value is not known.
  [[nodiscard]] virtual const RefusedValue* refused() const noexcept = 0;
  /// Returns the JSON pointer (RFC 6901) of a member of the JSON text that is the value. Virtual,
  /// so that programs without a database do not link the JSON reader.
  [[nodiscard]] virtual std::optional<std::string> find_in_json(std::string_view text) const = 0;
};

}  // namespace eider
