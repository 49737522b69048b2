// The pattern of a route, checked against its handler by the compiler.
// Layering: must not define the grammar of patterns; route/pattern.h does.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <source_location>
#include <string>
#include <string_view>
#include <type_traits>

#include "eider/app/handlers/handler.h"
#include "eider/core/base/refusal.h"
#include "eider/protocols/route/pattern.h"

namespace eider {

/// A pattern that is only known at run time. Its errors are reported when the app starts.
///
/// where  source line of the route in messages
struct RuntimePattern {
  std::string text;
  std::source_location where = std::source_location::current();
};

namespace detail::app {
// Never defined: if a pattern is rejected, the compiler prints their names, so the names are the
// error message.
void the_pattern_is_not_valid__write_slash_and_whole_segments_such_as_id_in_braces();
void a_segment_begins_with_a_colon__write_the_name_in_braces_instead();
void the_handler_has_fewer_path_parameters_than_the_pattern();
void the_handler_has_more_path_parameters_than_the_pattern__or_use_Query();
void a_route_has_at_most_eight_path_parameters();
void a_group_prefix_cannot_have_parameters__put_them_into_its_routes();

enum class PatternRefusal : std::uint8_t {
  none,
  no_literal,
  colon,
  not_valid,
  too_many,
  fewer_values,
  more_values,
  parameters,  // of a group's prefix
};

/// Instantiated even for a text that is not a literal, because clang evaluates attributes before
/// constraints.
template <class Text>
constexpr PatternRefusal prefix_refusal(const Text& text) noexcept {
  if constexpr (!std::convertible_to<const Text&, const char*>) {
    return PatternRefusal::no_literal;
  } else {
    const std::string_view pattern = text;
    const PatternFault fault = find_fault(pattern);
    if (fault == PatternFault::colon_name) {
      return PatternRefusal::colon;
    }
    if (fault == PatternFault::too_many_parameters) {
      return PatternRefusal::too_many;
    }
    if (fault != PatternFault::none) {
      return PatternRefusal::not_valid;
    }
    return count_parameters(pattern) == 0 ? PatternRefusal::none : PatternRefusal::parameters;
  }
}

/// F  the handler of the route; void if the text is the prefix of a group
template <class F, class Text>
constexpr PatternRefusal pattern_refusal(const Text& text) noexcept {
  const PatternRefusal refusal = prefix_refusal(text);
  if constexpr (!std::is_void_v<F> && std::convertible_to<const Text&, const char*>) {
    const bool is_pattern =
        refusal == PatternRefusal::none || refusal == PatternRefusal::parameters;
    if (!is_pattern && !std::string_view(text).empty()) {
      return refusal;
    }
    constexpr std::size_t kTakes = Signature<F>::kPathCount;
    if (kTakes < count_parameters(text)) {
      return PatternRefusal::fewer_values;
    }
    // An invalid parameter type has its own error.
    const bool is_more = kTakes > count_parameters(text) && Signature<F>::kAreParameters;
    return is_more ? PatternRefusal::more_values : PatternRefusal::none;
  }
  return refusal;
}

constexpr void refuse(PatternRefusal reason) {
  switch (reason) {
    case PatternRefusal::none:
    case PatternRefusal::no_literal:
      return;
    case PatternRefusal::colon:
      return a_segment_begins_with_a_colon__write_the_name_in_braces_instead();
    case PatternRefusal::not_valid:
      return the_pattern_is_not_valid__write_slash_and_whole_segments_such_as_id_in_braces();
    case PatternRefusal::too_many:
      return a_route_has_at_most_eight_path_parameters();
    case PatternRefusal::fewer_values:
      return the_handler_has_fewer_path_parameters_than_the_pattern();
    case PatternRefusal::more_values:
      return the_handler_has_more_path_parameters_than_the_pattern__or_use_Query();
    case PatternRefusal::parameters:
      return a_group_prefix_cannot_have_parameters__put_them_into_its_routes();
  }
}

}  // namespace detail::app

// clang-format off
#define EIDER_PATTERN_IS(text, refusal) \
  (detail::app::pattern_refusal<F>(text) == detail::app::PatternRefusal::refusal)
#define EIDER_NO_PATTERN "a pattern that is not a literal needs RuntimePattern{text}"
#define EIDER_NO_PREFIX "the prefix of a group must be a string literal"
// clang-format on

/// The pattern of a route whose handler is an F. Literals are checked at compile time: a pattern
/// and a handler that do not match do not compile. It is a view, valid during the call. An empty
/// pattern is the prefix of its group, without a trailing slash. PatternFor<void> is the prefix of
/// a group.
template <class F>
class PatternFor {
 public:
  // NOLINTNEXTLINE(google-explicit-constructor): a literal is to convert by itself
  consteval PatternFor(const char* text,
                       std::source_location where = std::source_location::current())
      EIDER_ACCEPTS(EIDER_PATTERN_IS(text, none))
      : text_(text), where_(where) {
    if constexpr (!detail::base::kIsRefusedByAttribute) {
      detail::app::refuse(detail::app::pattern_refusal<F>(text));
    }
  }
  // NOLINTNEXTLINE(google-explicit-constructor): as above
  PatternFor(const RuntimePattern& pattern) noexcept
    requires(!std::is_void_v<F>)
      : text_(pattern.text), where_(pattern.where) {}
  /// Only for the error message.
  template <class T>
    requires std::convertible_to<const T&, std::string_view>
  PatternFor(const T& text)  // NOLINT(google-explicit-constructor): as above
      EIDER_REFUSES(EIDER_PATTERN_IS(text, parameters),
                    a_group_prefix_cannot_have_parameters__put_them_into_its_routes)
          EIDER_REFUSES(EIDER_PATTERN_IS(text, colon),
                        a_segment_begins_with_a_colon__write_the_name_in_braces_instead)
              EIDER_REFUSES(
                  EIDER_PATTERN_IS(text, not_valid),
                  the_pattern_is_not_valid__write_slash_and_whole_segments_such_as_id_in_braces)
                  EIDER_REFUSES(EIDER_PATTERN_IS(text, too_many),
                                a_route_has_at_most_eight_path_parameters)
                      EIDER_REFUSES(EIDER_PATTERN_IS(text, fewer_values),
                                    the_handler_has_fewer_path_parameters_than_the_pattern)
                          EIDER_REFUSES(
                              EIDER_PATTERN_IS(text, more_values),
                              the_handler_has_more_path_parameters_than_the_pattern__or_use_Query)
                              EIDER_REFUSES_WITH(sizeof(text) != 0 && !std::is_void_v<F>,
                                                 EIDER_NO_PATTERN)
                                  EIDER_REFUSES_WITH(sizeof(text) != 0 && std::is_void_v<F>,
                                                     EIDER_NO_PREFIX) {
    constexpr bool kIsReported = detail::base::kIsRefusedByAttribute || sizeof(T) == 0;
    static_assert(kIsReported || std::is_void_v<F>, EIDER_NO_PATTERN);
    static_assert(kIsReported || !std::is_void_v<F>, EIDER_NO_PREFIX);
  }

  [[nodiscard]] std::string_view text() const noexcept { return text_; }
  /// Returns the source line of the route.
  [[nodiscard]] const std::source_location& where() const noexcept { return where_; }

 private:
  std::string_view text_;
  std::source_location where_;
};

/// The prefix of a group: literal segments, checked at compile time.
using GroupPrefix = PatternFor<void>;

}  // namespace eider
