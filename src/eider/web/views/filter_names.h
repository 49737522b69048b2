// The built-in filters and their parameters.
// Layering: must not apply them; filters.h does.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace eider::views {

/// usage         syntax, for messages
/// makes_number  the result is an integer; else a text
struct FilterName {
  std::string_view name;
  std::size_t arguments_min;
  std::size_t arguments_max;
  std::string_view usage;
  bool makes_number = false;
};

inline constexpr std::array<FilterName, 9> kFilterNames = {{
    {"upper", 0, 0, "{{ text | upper }}"},
    {"lower", 0, 0, "{{ text | lower }}"},
    {"trim", 0, 0, "{{ text | trim }}"},
    {"truncate", 1, 1, "{{ text | truncate(80) }}"},
    {"date", 1, 1, "{{ time | date(\"%d.%m.%Y %H:%M\") }}"},
    {"default", 1, 1, "{{ text | default(\"none\") }}"},
    {"join", 1, 1, "{{ names | join(\", \") }}"},
    {"length", 0, 0, "{{ names | length }}", true},
    {"json", 0, 0, "{{ note | json }}"},
}};

/// Returns null for a filter that only the application can have.
[[nodiscard]] constexpr const FilterName* find_filter(std::string_view name) noexcept {
  for (const FilterName& filter : kFilterNames) {
    if (filter.name == name) {
      return &filter;
    }
  }
  return nullptr;
}

}  // namespace eider::views
