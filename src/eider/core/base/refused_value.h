// A request value that was rejected; the app uses it to name the member that contained it.
// Layering: must not be sent to clients: the app only searches for it in the client's own request.
#pragma once

#include <string>

namespace eider {

/// text    as it was used: the characters of a text, the digits of a number
/// detail  what is wrong with it, for the client: "must not contain a NUL character"
struct RefusedValue {
  std::string text;
  std::string detail;
};

/// A base of exceptions that a single value has caused.
class CausedByValue {
 public:
  virtual ~CausedByValue() = default;
  /// Null where the value is not known.
  [[nodiscard]] virtual const RefusedValue* refused() const noexcept = 0;
};

}  // namespace eider
