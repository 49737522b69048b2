// The driver for SQLite.
// Component: sqlite. Guide: docs/guides/data/sqlite.md.
#pragma once

#include "eider/data/db/sqlite/sqlite.h"
#include "eider/data/db/sqlite/sqlite_backup.h"
