// A MariaDB database per test.
// Component: mariadb. Guide: docs/guides/testing/testing.md.
#pragma once

#include "eider/data/db/mariadb/testing/test_mariadb.h"
