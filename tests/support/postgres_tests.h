// Common parts of PostgreSQL tests.
// Layering: must not be linked into an application.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>

#include "eider/data/db/postgres/postgres.h"
#include "tests/support/database_load.h"
#include "tests/support/postgres_server.h"
#include "tests/support/test_loop.h"

namespace eider {

class PostgresTest : public ::testing::Test {
 protected:
  /// Default time limits become a minute, so that a machine that stalls for seconds fails no test.
  [[nodiscard]] static Database open(PostgresOptions options = {}) {
    const PostgresOptions usual;
    for (Duration PostgresOptions::* time :
         {&PostgresOptions::connect_time_max, &PostgresOptions::wait_time_max}) {
      options.*time = options.*time == usual.*time ? std::chrono::minutes(1) : options.*time;
    }
    return open_postgres(PostgresServer::shared().where(), options);
  }
  void script(const Database& base, const char* sql) {
    on_loop_.run([](Database on, db::RuntimeSql text) -> Task<> { co_await on.script(text); }(
                                                          base, db::RuntimeSql{sql}));
  }
  [[nodiscard]] std::int64_t number(const Database& base, const char* sql) {
    return on_loop_.run([](Database on, db::RuntimeSql text) -> Task<std::int64_t> {
      co_return (co_await on.one<std::int64_t>(text)).value_or(-1);
    }(base, db::RuntimeSql{sql}));
  }

  TestLoop on_loop_;
};

}  // namespace eider
