// SQL statements, transactions, records and migrations, for every driver.
// Component: core. Guide: docs/guides/data/databases.md.
#pragma once

#include "eider/data/db/database.h"
#include "eider/data/db/migrations/migrate.h"
#include "eider/data/db/migrations/migrations.h"
#include "eider/data/db/records.h"
