// Declarations that the snippets of this page use without declaring them.
// Layering: must not be compiled alone; see common.h.
#pragma once

#include "common.h"

namespace docs::static_assets_page {

std::span<const EmbeddedAsset> notes_assets();

}  // namespace docs::static_assets_page
