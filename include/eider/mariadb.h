// The driver for MariaDB and MySQL.
// Component: mariadb. Guide: docs/guides/data/mariadb.md.
#pragma once

#include "eider/data/db/mariadb/bulk.h"
#include "eider/data/db/mariadb/mariadb.h"
