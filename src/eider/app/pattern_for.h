// A route's pattern, held against its handler by the compiler.
// Must not parse more than it needs to: route/pattern.h owns the grammar.
#pragma once

#include <concepts>
#include <source_location>
#include <string>
#include <string_view>

#include "eider/app/handler.h"
#include "eider/route/pattern.h"

namespace eider {

/// A pattern that is only known at run time; what is wrong with it is reported when the app starts.
///
/// where  the route is said to be written there
struct RuntimePattern {
  std::string text;
  std::source_location where = std::source_location::current();
};

namespace detail::app {
// Never defined: the compiler names them when a pattern is refused, so their names are the message.
void the_pattern_is_not_valid__write_slash_and_whole_segments_such_as_id_in_braces();
void a_segment_begins_with_a_colon__write_the_name_in_braces_instead();
void the_handler_takes_fewer_path_values_than_the_pattern_names();
void the_handler_takes_more_path_values_than_the_pattern_names__or_use_Query();
void a_group_prefix_has_no_parameters__put_them_into_its_routes();
}  // namespace detail::app

/// The pattern of a route whose handler is an F. A literal is checked while compiling: a pattern
/// and a handler that do not fit stop the build. It is a view, for the length of the registering
/// call. An empty one is the prefix of its group, without a slash behind it.
template <class F>
class PatternFor {
 public:
  // NOLINTNEXTLINE(google-explicit-constructor): a literal is to convert by itself
  consteval PatternFor(const char* text,
                       std::source_location where = std::source_location::current())
      : text_(text), where_(where) {
    constexpr std::size_t takes = detail::app::Signature<F>::kPathCount;
    if (find_fault(text) == PatternFault::colon_name) {
      detail::app::a_segment_begins_with_a_colon__write_the_name_in_braces_instead();
    }
    if (!text_.empty() && find_fault(text) != PatternFault::none) {
      detail::app::the_pattern_is_not_valid__write_slash_and_whole_segments_such_as_id_in_braces();
    }
    if (takes < count_parameters(text)) {
      detail::app::the_handler_takes_fewer_path_values_than_the_pattern_names();
    }
    // A parameter that is none at all is told by itself.
    if (takes > count_parameters(text) && detail::app::Signature<F>::kAreParameters) {
      detail::app::the_handler_takes_more_path_values_than_the_pattern_names__or_use_Query();
    }
  }
  // NOLINTNEXTLINE(google-explicit-constructor): as above
  PatternFor(const RuntimePattern& pattern) noexcept : text_(pattern.text), where_(pattern.where) {}
  template <class T>
    requires(std::convertible_to<T, std::string_view> && !std::convertible_to<T, const char*>)
  __attribute__((unavailable("a pattern that is made at run time is written RuntimePattern{text}")))
  // NOLINTNEXTLINE(google-explicit-constructor): never defined: its attribute is the message
  PatternFor(const T& text);

  [[nodiscard]] std::string_view text() const noexcept { return text_; }
  /// Where the route is written.
  [[nodiscard]] const std::source_location& where() const noexcept { return where_; }

 private:
  std::string_view text_;
  std::source_location where_;
};

/// A group's prefix: literal segments, checked while compiling.
class GroupPrefix {
 public:
  // NOLINTNEXTLINE(google-explicit-constructor): as above
  consteval GroupPrefix(const char* text) : text_(text) {
    if (find_fault(text) != PatternFault::none) {
      detail::app::the_pattern_is_not_valid__write_slash_and_whole_segments_such_as_id_in_braces();
    }
    if (count_parameters(text) != 0) {
      detail::app::a_group_prefix_has_no_parameters__put_them_into_its_routes();
    }
  }
  [[nodiscard]] std::string_view text() const noexcept { return text_; }

 private:
  std::string_view text_;
};

}  // namespace eider
