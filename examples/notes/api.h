// The notes as JSON, for programs.
// Must not render pages.
#pragma once

#include <eider/app/app.h>

namespace notes {

/// Adds /api/v1/notes, its document and, where the program has them, the pages that show it.
/// Pre: the app has a State<Store> when it starts.
void add_api(eider::App& app);

}  // namespace notes
