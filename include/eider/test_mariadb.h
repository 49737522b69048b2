// A MariaDB database per test.
// Component: mariadb. Guide: docs/guides/testing/database-tests.md.
#pragma once

#include "eider/data/db/mariadb/testing/test_mariadb.h"
