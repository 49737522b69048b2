// Splits a template into text, outputs and tags.
// Layering: must not parse tags.
#pragma once

#include <vector>

#include "eider/web/views/source.h"

namespace eider::views {

/// text  of kText the text, without what `{%- -%}` cut off it; else what stands within the braces
struct Piece {
  enum class Kind : std::uint8_t { text, output, tag, comment };
  Kind kind;
  std::string_view text;
  Place place;  // of `text`
};

/// errors  throws Refused: braces that never close
[[nodiscard]] std::vector<Piece> take_apart(const Source& source);

}  // namespace eider::views
