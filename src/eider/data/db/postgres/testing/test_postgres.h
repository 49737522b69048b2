// A PostgreSQL database for one test, created from the migrations within milliseconds.
// Layering: for tests only.
#pragma once

#include <string>

#include "eider/data/db/database.h"
#include "eider/data/db/migrations/migrations.h"
#include "eider/data/db/postgres/postgres.h"

namespace eider {

struct TestPostgresOptions {
  /// A server on which databases may be created, as `where` of open_postgres. Default: the
  /// environment variable EIDER_TEST_POSTGRES, otherwise a temporary server, which the test
  /// programs of this user share, and which ends a few seconds after them.
  std::string server = {};
  PostgresOptions options = {};
};

/// Creates a database with these migrations, for one test:
///
///     TestClient client(make_app(open_test_postgres(shop_migrations())));
///
/// The first test of a schema applies the migrations, to a template database; the others copy that.
/// A database is deleted when its program has ended, or has created 16 others.
///
/// errors   db::Failure(open), thrown: there is no server, or a migration fails
[[nodiscard]] Database open_test_postgres(const Migrations& migrations = {},
                                          const TestPostgresOptions& options = {});

/// The same for a program that opens the database itself: `where` of open_postgres.
[[nodiscard]] std::string make_test_postgres(const Migrations& migrations = {},
                                             const TestPostgresOptions& options = {});

}  // namespace eider
