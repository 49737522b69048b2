// All middleware at once, for a program that uses much of it.
// Must not be included by the library: each has a header of its own.
#pragma once

#include "eider/middleware/access_log.h"
#include "eider/middleware/address_list.h"
#include "eider/middleware/allow_hosts.h"
#include "eider/middleware/auth.h"
#include "eider/middleware/caching.h"
#include "eider/middleware/cors.h"
#include "eider/middleware/cross_origin.h"
#include "eider/middleware/csrf.h"
#include "eider/middleware/development_page.h"
#include "eider/middleware/error_pages.h"
#include "eider/middleware/https.h"
#include "eider/middleware/idempotency.h"
#include "eider/middleware/limits.h"
#include "eider/middleware/maintenance.h"
#include "eider/middleware/negotiation.h"
#include "eider/middleware/rate_limit.h"
#include "eider/middleware/request_id.h"
#include "eider/middleware/response_cache.h"
#include "eider/middleware/routing.h"
#include "eider/middleware/security_headers.h"
