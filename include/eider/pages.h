// Headers for applications with pages and users: templates, forms, sessions, assets, middleware.
// Component: views. In addition to eider/eider.h.
#pragma once

#include "eider/assets.h"
#include "eider/forms.h"
#include "eider/middleware.h"
#include "eider/pagination.h"
#include "eider/sessions.h"
#include "eider/text.h"
#include "eider/views.h"
