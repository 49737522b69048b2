// Pagination of lists.
// Component: core. Guide: docs/howto/paging.md.
#pragma once

#include "eider/protocols/http/page_links.h"
#include "eider/web/paging/paging.h"
