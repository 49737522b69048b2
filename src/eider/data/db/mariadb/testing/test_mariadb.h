// A MariaDB database for one test, created from the migrations.
// Layering: for tests only.
#pragma once

#include <string>

#include "eider/data/db/database.h"
#include "eider/data/db/mariadb/mariadb.h"
#include "eider/data/db/migrations/migrations.h"

namespace eider {

struct TestMariadbOptions {
  /// A server on which databases may be created, as `where` of open_mariadb. Default: the
  /// environment variable EIDER_TEST_MARIADB, otherwise a temporary server, which the test programs
  /// of this user share, and which ends a few seconds after them.
  std::string server = {};
  MariadbOptions options = {};
};

/// Creates a database with these migrations, for one test:
///
///     TestClient client(make_app(open_test_mariadb(shop_migrations())));
///
/// A database is deleted when its program has ended, or has created 16 others.
///
/// errors   db::Failure(open), thrown: there is no server, or a migration fails
[[nodiscard]] Database open_test_mariadb(const Migrations& migrations = {},
                                         const TestMariadbOptions& options = {});

/// The same for a program that opens the database itself: `where` of open_mariadb.
[[nodiscard]] std::string make_test_mariadb(const Migrations& migrations = {},
                                            const TestMariadbOptions& options = {});

}  // namespace eider
