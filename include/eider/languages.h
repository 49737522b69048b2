// Translations and the language of a request.
// Component: core. Guide: docs/guides/pages/internationalization.md.
#pragma once

#include "eider/core/base/translation.h"
#include "eider/web/languages/languages.h"
#include "eider/web/languages/library_texts.h"
