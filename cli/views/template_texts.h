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
/// many     the plural; empty: none
struct TemplateText {
  std::string context;
  std::string text;
  std::string many;
  Place place;
};

/// Returns all quoted texts that are filtered with `tr` in the file, in order.
///
/// errors  a `tr` with invalid arguments
[[nodiscard]] ViewResult<std::vector<TemplateText>> texts_of(const File& file);

}  // namespace eider::views
