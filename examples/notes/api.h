// The notes as JSON, for programs.
// Must not render pages.
#pragma once

#include <eider/app/app.h>

namespace notes {

/// Adds /api/v1/notes. Pre: the app has a State<Store>.
void add_api(eider::App& app);

}  // namespace notes
