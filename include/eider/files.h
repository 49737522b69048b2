// Static files, and files that users uploaded.
// Component: core. Guide: docs/guides/responses/static-files.md.
#pragma once

#include "eider/web/files/file_server.h"
#include "eider/web/files/file_store.h"
