// A PostgreSQL database per test.
// Component: postgres. Guide: docs/guides/testing/database-tests.md.
#pragma once

#include "eider/data/db/postgres/testing/test_postgres.h"
