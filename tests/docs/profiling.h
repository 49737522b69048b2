// What a snippet of this page takes from coz.h, which need not be installed.
// Cannot be compiled alone: see common.h.
#pragma once

#include "common.h"

#define COZ_PROGRESS static_cast<void>(0)

namespace docs::profiling_page {}  // namespace docs::profiling_page
