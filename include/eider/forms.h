// HTML forms from structs.
// Component: views. Guide: docs/guides/pages/html-forms.md.
#pragma once

#include "eider/web/forms/form_field.h"
#include "eider/web/forms/forms.h"
#include "eider/web/views/form_view.h"
