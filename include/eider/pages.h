// Headers for applications with pages and users: templates, forms, sessions, assets, middleware.
// Component: views. Guide: docs/guides/pages/templates.md.
#pragma once

#include "eider/assets.h"
#include "eider/forms.h"
#include "eider/middleware.h"
#include "eider/pagination.h"
#include "eider/sessions.h"
#include "eider/text.h"
#include "eider/views.h"
