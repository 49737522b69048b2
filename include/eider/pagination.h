// Pagination of lists.
// Component: core. Guide: docs/guides/apis/pagination.md.
#pragma once

#include "eider/protocols/http/page_links.h"
#include "eider/web/pagination/pagination.h"
