// A request value that was rejected; the app uses it to name the member that contained it.
// Layering: must not be sent to clients: the app only searches for it in the client's own request.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace eider {

/// text    as it was used: the characters of a text, the digits of a number
/// detail  what is wrong with it, for the client: "must not contain a NUL character"
struct RefusedValue {
  std::string text;
  std::string detail;

  /// Whether `given` is the value. A NUL may also be part of a longer text, such as the pattern
  /// that a search text became.
  [[nodiscard]] bool is_in(std::string_view given) const noexcept {
    return given == text || (given.contains('\0') && text.contains('\0'));
  }
};

/// A base of exceptions that a single value has caused.
class CausedByValue {
 public:
  virtual ~CausedByValue() = default;
  /// Null where the value is not known.
  [[nodiscard]] virtual const RefusedValue* refused() const noexcept = 0;
  /// Returns the JSON pointer (RFC 6901) of a member of the JSON text that is the value. Virtual,
  /// so that programs without a database do not link the JSON reader.
  [[nodiscard]] virtual std::optional<std::string> find_in_json(std::string_view text) const = 0;
};

}  // namespace eider
