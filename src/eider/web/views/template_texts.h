// The texts of templates that a catalog must translate.
// Layering: must not translate.
#pragma once

#include <string>
#include <vector>

#include "eider/web/views/tree.h"

namespace eider::views {

/// One text of a filter `tr`.
///
/// context  empty: none
/// many     the plural; empty: it has none
struct TemplateText {
  std::string context;
  std::string text;
  std::string many;
  Place place;
};

/// Returns all texts in quotes that `tr` filters in the file, in their order.
///
/// errors  a `tr` that is written wrongly
[[nodiscard]] ViewResult<std::vector<TemplateText>> texts_of(const File& file);

}  // namespace eider::views
