// A PostgreSQL database per test.
// Component: postgres. Guide: docs/guides/testing/testing.md.
#pragma once

#include "eider/data/db/postgres/testing/test_postgres.h"
