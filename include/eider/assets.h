// Files compiled into the program.
// Component: core. Guide: docs/guides/pages/static-assets.md.
#pragma once

#include "eider/web/assets/assets.h"
#include "eider/web/assets/embedded.h"
