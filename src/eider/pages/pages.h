// What an application with pages and people includes beside eider/eider.h: templates, forms,
// sessions, who asks, and what protects them. Must not be included by the library.
#pragma once

#include "eider/assets/assets.h"
#include "eider/core/base/some_or.h"
#include "eider/forms/forms.h"
#include "eider/middleware/cors.h"
#include "eider/middleware/csrf.h"
#include "eider/middleware/login_throttle.h"
#include "eider/middleware/rate_limit.h"
#include "eider/middleware/security_headers.h"
#include "eider/paging/paging.h"
#include "eider/session/session.h"
#include "eider/session/users.h"
#include "eider/views/app/framed_views.h"
#include "eider/views/app/views.h"
#include "eider/views/page_nav.h"
