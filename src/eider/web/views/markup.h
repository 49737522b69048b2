// HTML that the program has made, which templates show as it is.
// Must not be made of what people sent: that is text, and templates escape it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "eider/core/reflect/text_kind.h"

namespace eider {

/// A member of a page that is shown as it is between tags; anywhere else in a template it is
/// refused. Nothing that is read becomes one: JSON, forms and rows hold no markup.
class Markup {
 public:
  Markup() = default;
  explicit Markup(std::string html) : html_(std::move(html)) {}

  [[nodiscard]] const std::string& html() const noexcept { return html_; }

  friend bool operator==(const Markup& left, const Markup& right) = default;

 private:
  std::string html_;
};

template <>
struct TextKind<Markup> {
  static std::optional<Markup> parse(std::string_view /*text*/) noexcept { return std::nullopt; }
  static std::string_view format(const Markup& markup) noexcept { return markup.html(); }
  static constexpr TextSchema kSchema = {.requirement = "is made by the program", .format = "html"};
};

}  // namespace eider
