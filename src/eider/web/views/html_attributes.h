// The meaning of the value of an HTML attribute, by its name.
// Layering: must not know values.
#pragma once

#include <cstdint>
#include <string_view>

namespace eider::views {

enum class AttributeKind : std::uint8_t {
  plain,
  url,
  own_url,   // what is asked for there becomes a part of the page, or is told what is in it
  url_list,  // srcset: its first address cannot be told from the others
  style,
  code,    // what a script runs: onclick, x-data, hx-on
  markup,  // srcdoc: a page within
};

/// Pre: both in lower case.
[[nodiscard]] AttributeKind attribute_kind(std::string_view tag, std::string_view name) noexcept;

}  // namespace eider::views
