// The elements of a comma-separated field value (RFC 9110, section 5.6.1).
// Must not be used where elements may hold quoted commas (extension_list.h).
#pragma once

#include <optional>
#include <string_view>

#include "eider/base/text.h"

namespace eider::ws {

/// Elements without the blanks around them; empty ones are passed over.
class ListReader {
 public:
  explicit ListReader(std::string_view value) noexcept : rest_(value) {}

  [[nodiscard]] std::optional<std::string_view> next() noexcept {
    while (!rest_.empty()) {
      const std::string_view element = trim(rest_.substr(0, rest_.find(',')));
      const std::size_t comma = rest_.find(',');
      rest_ = comma == std::string_view::npos ? std::string_view() : rest_.substr(comma + 1);
      if (!element.empty()) {
        return element;
      }
    }
    return std::nullopt;
  }
  /// What has not been read yet.
  [[nodiscard]] std::string_view rest() const noexcept { return rest_; }

 private:
  std::string_view rest_;
};

/// Whether an element is `name`, compared without case.
[[nodiscard]] inline bool lists(std::string_view value, std::string_view name) noexcept {
  ListReader elements(value);
  while (const auto element = elements.next()) {
    if (equals_ignoring_case(*element, name)) {
      return true;
    }
  }
  return false;
}

}  // namespace eider::ws
