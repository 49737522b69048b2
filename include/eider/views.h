// HTML templates.
// Component: views. Guide: docs/guides/pages/templates.md.
#pragma once

#include "eider/web/views/app/framed_views.h"
#include "eider/web/views/app/views.h"
#include "eider/web/views/form_view.h"
#include "eider/web/views/markup.h"
#include "eider/web/views/page_nav.h"
#include "eider/web/views/rendering.h"
