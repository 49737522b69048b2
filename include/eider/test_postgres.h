// A PostgreSQL database per test.
// Component: postgres. Guide: docs/howto/testing.md.
#pragma once

#include "eider/data/db/postgres/testing/test_postgres.h"
