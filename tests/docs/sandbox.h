// A header that the first snippet of this page includes.
// Layering: must not be compiled alone; see common.h.
#pragma once

#include <fstream>

#include "common.h"

namespace docs::sandbox_page {}  // namespace docs::sandbox_page
