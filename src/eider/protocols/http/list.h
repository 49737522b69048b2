// The elements of a comma-separated header value (RFC 9110, section 5.6.1).
// Layering: must not be used if elements may contain quoted commas (ws/extension_list.h).
#pragma once

#include <optional>
#include <string_view>

#include "eider/core/base/text.h"

namespace eider {

class ListReader {
 public:
  explicit ListReader(std::string_view value) noexcept : rest_(value) {}

  /// Returns the next element without surrounding blanks, also an empty one; an empty value has one
  /// element.
  [[nodiscard]] std::optional<std::string_view> take() noexcept {
    if (is_done_) {
      return std::nullopt;
    }
    const std::size_t comma = rest_.find(',');
    const std::string_view element = trim(rest_.substr(0, comma));
    is_done_ = comma == std::string_view::npos;
    rest_.remove_prefix(is_done_ ? rest_.size() : comma + 1);
    return element;
  }

  /// Returns the next element that is not empty, because recipients of lists must ignore empty
  /// elements.
  [[nodiscard]] std::optional<std::string_view> next() noexcept {
    std::optional<std::string_view> element = take();
    while (element && element->empty()) {
      element = take();
    }
    return element;
  }

  /// Returns the rest that has not been read.
  [[nodiscard]] std::string_view rest() const noexcept { return rest_; }

 private:
  std::string_view rest_;
  bool is_done_ = false;
};

/// Returns whether an element is `name`, case-insensitive.
[[nodiscard]] inline bool lists(std::string_view value, std::string_view name) noexcept {
  ListReader elements(value);
  while (const auto element = elements.next()) {
    if (equals_ignoring_case(*element, name)) {
      return true;
    }
  }
  return false;
}

}  // namespace eider
