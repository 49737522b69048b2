// Numbers, dates and plurals in the language of a user (ICU).
// Component: locale. Guide: docs/guides/pages/localization.md.
#pragma once

#include "eider/web/locale/locale.h"
