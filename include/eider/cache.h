// A cache in memory, and the interface of other cache stores.
// Component: core. Guide: docs/guides/responses/caching.md.
#pragma once

#include "eider/data/cache/cache.h"
#include "eider/data/cache/cache_store.h"
