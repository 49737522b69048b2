// Links to the other pages of a list, as HTML.
// Layering: must not know the elements.
#pragma once

#include "eider/protocols/http/page_links.h"
#include "eider/web/views/filter_set.h"
#include "eider/web/views/markup.h"

namespace eider {

/// A filter: `{{ pages | page_nav }}`. Empty if there is only one page.
[[nodiscard]] Markup page_nav(const PageLinks& links);

namespace views {
/// Adds the filter for interpreted templates.
void add_page_filters(FilterSet& filters);
}  // namespace views

}  // namespace eider
