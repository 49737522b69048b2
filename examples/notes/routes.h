// The routes of the notes: HTML pages and a JSON API.
// Layering: must not contain HTML; pages/ does.
#pragma once

#include <eider/eider.h>

namespace notes {

/// Adds the pages, their assets and the live counter. Pre: the app has a State<Store>.
void add_pages(eider::App& app);
/// Adds /api/v1/notes, its OpenAPI document and, if they are linked, the pages that show it. Pre:
/// as above.
void add_api(eider::App& app);

}  // namespace notes
