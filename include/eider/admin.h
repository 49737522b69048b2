// Admin pages for the records of an application.
// Component: admin. Guide: docs/guides/pages/admin.md.
#pragma once

#include "eider/web/admin/admin.h"
