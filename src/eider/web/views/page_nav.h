// The links to a list's other pages, as HTML.
// Must not know what a list holds.
#pragma once

#include "eider/protocols/http/page_links.h"
#include "eider/web/views/filter_set.h"
#include "eider/web/views/markup.h"

namespace eider {

/// A filter: `{{ pages | page_nav }}`. Nothing where there is one page alone.
[[nodiscard]] Markup page_nav(const PageLinks& links);

namespace views {
/// Names it to a walker.
void add_page_filters(FilterSet& filters);
}  // namespace views

}  // namespace eider
