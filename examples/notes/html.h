// Pages put together from literals and escaped values.
// Must not take a value as markup: only a literal, or what another Html has made, is that.
#pragma once

#include <eider/base/html.h>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace notes {

namespace detail {
// Never defined: the compiler names it when there is another number of {} than of values.
void the_markup_has_another_number_of_gaps_than_there_are_values();

consteval std::size_t count_gaps(std::string_view markup) {
  std::size_t count = 0;
  for (std::size_t at = 0; (at = markup.find("{}", at)) != std::string_view::npos; at += 2) {
    ++count;
  }
  return count;
}
}  // namespace detail

/// A literal with {} where the values go.
template <std::size_t Gaps>
class Markup {
 public:
  // NOLINTNEXTLINE(google-explicit-constructor): a literal is to convert by itself
  consteval Markup(const char* literal) : literal_(literal) {
    if (detail::count_gaps(literal_) != Gaps) {
      detail::the_markup_has_another_number_of_gaps_than_there_are_values();
    }
  }
  [[nodiscard]] std::string_view view() const noexcept { return literal_; }

 private:
  std::string_view literal_;
};

class Html {
 public:
  /// Appends the markup; texts are escaped on their way into it, numbers and Html go in as they
  /// are.
  template <class... Values>
  Html& add(Markup<sizeof...(Values)> markup, const Values&... values) {
    std::string_view rest = markup.view();
    (add_value(rest, values), ...);
    text_ += rest;
    return *this;
  }

  [[nodiscard]] const std::string& text() const& noexcept { return text_; }
  [[nodiscard]] std::string text() && noexcept { return std::move(text_); }

 private:
  template <class Value>
  void add_value(std::string_view& rest, const Value& value) {
    const std::size_t gap = rest.find("{}");
    text_ += rest.substr(0, gap);
    rest.remove_prefix(gap + 2);
    if constexpr (std::same_as<Value, Html>) {
      text_ += value.text();
    } else if constexpr (std::integral<Value>) {
      text_ += std::to_string(value);
    } else {
      text_ += eider::escape_html(value);
    }
  }

  std::string text_;
};

}  // namespace notes
