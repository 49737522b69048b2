// What an application with pages and people includes beside eider/eider.h: templates, forms,
// sessions, who asks, and what protects them. Must not be included by the library.
#pragma once

#include "eider/auth/session/session.h"
#include "eider/auth/session/users.h"
#include "eider/core/base/some_or.h"
#include "eider/web/assets/assets.h"
#include "eider/web/forms/forms.h"
#include "eider/web/middleware/cors.h"
#include "eider/web/middleware/csrf.h"
#include "eider/web/middleware/login_throttle.h"
#include "eider/web/middleware/rate_limit.h"
#include "eider/web/middleware/security_headers.h"
#include "eider/web/paging/paging.h"
#include "eider/web/views/app/framed_views.h"
#include "eider/web/views/app/views.h"
#include "eider/web/views/page_nav.h"
