// A macro of coz.h that a snippet of this page uses; coz need not be installed.
// Layering: must not be compiled alone; see common.h.
#pragma once

#include "common.h"

#define COZ_PROGRESS static_cast<void>(0)

namespace docs::profiling_page {}  // namespace docs::profiling_page
