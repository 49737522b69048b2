// The common base of tests that run on each database.
// Layering: must not include a driver; allowed differences are in differences.h.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "eider/data/db/database.h"
#include "tests/databases/differences.h"
#include "tests/support/database_load.h"
#include "tests/support/statement_fault.h"
#include "tests/support/test_loop.h"

namespace eider {

/// Options that databases have in common. SQLite ignores the options for connections.
struct OpenWith {
  std::size_t connections_max = 4;
  std::size_t streams_max = 2;
  std::size_t statements_max = 256;
  Duration connect_time_max = std::chrono::minutes(1);
  /// The longest wait for a free connection; on SQLite also for a free stream.
  Duration wait_time_max = std::chrono::minutes(1);
  db::PoolLimits limits{};
};

/// Opens the database of one test.
class Opener {
 public:
  virtual ~Opener() = default;
  [[nodiscard]] virtual Database open(const OpenWith& with) const = 0;
  /// Opens a database for each way to execute statements: on threads and on the loop, prepared and
  /// not. Each has its own code.
  [[nodiscard]] virtual std::vector<Database> open_each_way() const = 0;
  /// Opens a database whose statements fail as `fault` specifies.
  [[nodiscard]] virtual Database open_failing(const OpenWith& with,
                                              std::shared_ptr<StatementFault> fault) const = 0;
  [[nodiscard]] virtual bool is_mysql() const { return false; }
  // Control of the server.
  [[nodiscard]] virtual Database open_by_tcp(const OpenWith& with) const { return open(with); }
  virtual void kill() const {}
  virtual void stop() const {}
  virtual void start() const {}
  virtual void signal(int /*signal*/) const {}
};

struct TestedDatabase {
  const Differences* differences;
  std::function<std::unique_ptr<Opener>()> make;

  friend void PrintTo(const TestedDatabase& tested, std::ostream* out) {
    *out << tested.differences->name;
  }
};

/// Returns the databases to test. The files on_*_test.cc add them before `main`.
inline std::vector<TestedDatabase>& tested_databases() {
  static std::vector<TestedDatabase> all;
  return all;
}

/// Registers a database; returns true.
inline bool test_database(const Differences& differences,
                          std::function<std::unique_ptr<Opener>()> make) {
  tested_databases().push_back({&differences, std::move(make)});
  return true;
}

/// Returns the parameters of each test suite; evaluated after all databases are registered.
inline auto each_database() {
  return ::testing::ValuesIn(tested_databases());
}
inline std::string name_of_database(const ::testing::TestParamInfo<TestedDatabase>& info) {
  return info.param.differences->name;
}

class DatabaseTest : public ::testing::TestWithParam<TestedDatabase> {
 protected:
  [[nodiscard]] static const Differences& differs() { return *GetParam().differences; }
  [[nodiscard]] static bool is_sqlite() { return &differs() == &kSqliteDiffers; }

  [[nodiscard]] Database open(const OpenWith& with = {}) const { return opener_->open(with); }
  /// Runs `check` with a database for each way to execute statements.
  ///
  /// check  returns a Task for a Database
  template <class Check>
  void on_each_way(Check check) {
    for (const Database& base : opener_->open_each_way()) {
      on_loop_.run(check(base));
    }
  }
  void script(const Database& base, const std::string& sql) {
    on_loop_.run([](Database on, db::RuntimeSql text) -> Task<> { co_await on.script(text); }(
                                                          base, db::RuntimeSql{sql}));
  }
  [[nodiscard]] std::int64_t number(const Database& base, const std::string& sql) {
    return on_loop_.run([](Database on, db::RuntimeSql text) -> Task<std::int64_t> {
      co_return (co_await on.one<std::int64_t>(text)).value_or(-1);
    }(base, db::RuntimeSql{sql}));
  }
  /// Returns a statement that ends the connection with this number.
  [[nodiscard]] static db::RuntimeSql end_of(std::int64_t connection) {
    return db::RuntimeSql{std::string(differs().ends_connection) + "(" +
                          std::to_string(connection) + ")"};
  }
  /// Waits until the server runs no statement and has no open transaction; returns false after two
  /// minutes.
  [[nodiscard]] bool gets_quiet() {
    const Database other = open();
    const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(2);
    while (number(other, differs().busy) != 0) {
      if (std::chrono::steady_clock::now() > end) {
        return false;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return true;
  }

  const std::unique_ptr<Opener> opener_ = GetParam().make();
  TestLoop on_loop_;
};

}  // namespace eider
