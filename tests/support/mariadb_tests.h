// Common parts of MariaDB tests.
// Layering: must not be linked into an application.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>

#include "eider/data/db/mariadb/mariadb.h"
#include "tests/support/database_load.h"
#include "tests/support/mariadb_server.h"
#include "tests/support/test_loop.h"

namespace eider {

class MariadbTest : public ::testing::Test {
 protected:
  [[nodiscard]] static bool is_mysql() { return MariadbServer::shared().is_mysql(); }
  /// Default time limits become a minute, so that a machine that stalls for seconds fails no test.
  [[nodiscard]] static Database open(MariadbOptions options = {}) {
    return open_at(MariadbServer::shared().where(), options);
  }
  [[nodiscard]] static Database open_at(const std::string& where, MariadbOptions options = {}) {
    const MariadbOptions usual;
    for (Duration MariadbOptions::* time :
         {&MariadbOptions::connect_time_max, &MariadbOptions::wait_time_max}) {
      options.*time = options.*time == usual.*time ? std::chrono::minutes(1) : options.*time;
    }
    return open_mariadb(where, options);
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
