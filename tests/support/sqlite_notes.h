// Notes in an SQLite database of a test, and the messages of failing statements.
// Layering: must not be linked into an application.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "eider/data/db/sqlite/sqlite.h"
#include "eider/testkit/temp_directory.h"
#include "tests/support/test_loop.h"

namespace eider {

inline constexpr const char* kSchema =
    "create table if not exists notes(id integer primary key, title text not null unique, "
    "stars integer check(stars between 0 and 5)); "
    "create table if not exists marks(note integer not null references notes(id), text text);";

struct Note {
  std::int64_t id;
  std::string title;
  std::optional<int> stars;
};

class SqliteTest : public ::testing::Test {
 protected:
  [[nodiscard]] std::string path(const char* name = "test.db") const {
    return temporary_.path() / name;
  }
  [[nodiscard]] Database open() const { return open_sqlite(path(), {.schema = kSchema}); }

  const TempDirectory temporary_;
  TestLoop on_loop_;
};

/// Returns the kind and the text of the failure of an awaited operation.
template <class Pending>
Task<std::pair<db::FailureKind, std::string>> failure_of(Pending& pending) {
  try {
    (void)co_await pending;
  } catch (const db::Failure& failure) {
    co_return std::pair(failure.kind(), std::string(failure.what()));
  }
  co_return std::pair(db::FailureKind::open, std::string("no failure"));
}

}  // namespace eider
