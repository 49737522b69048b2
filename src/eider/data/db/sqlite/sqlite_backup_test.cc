#include "eider/data/db/sqlite/sqlite_backup.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <set>

#include "eider/io/runtime/blocking.h"
#include "eider/io/runtime/scope.h"
#include "tests/support/sqlite_notes.h"

namespace eider {
namespace {

namespace fs = std::filesystem;
using db::FailureKind;

class SqliteBackupTest : public SqliteTest {
 protected:
  SqliteBackupTest() { on_loop_.loop().set_blocking_pool(&pool_); }
  /// About 2,000 pages.
  [[nodiscard]] Database filled() {
    Database db = open();
    on_loop_.run([](Database on) -> Task<> {
      co_await on.exec(
          "insert into notes(title) with recursive n(i) as (select 1 union all select i + 1 from n "
          "where i < 2000) select i || hex(zeroblob(1500)) from n");
    }(db));
    return db;
  }
  /// Returns why the copy failed, or the default value if it succeeded.
  FailureKind failure_of_copy(const Database& db, const std::string& to,
                              SqliteBackupOptions options = {}) {
    return on_loop_.run(
        [](Database on, std::string path, SqliteBackupOptions how) -> Task<FailureKind> {
          auto copying = backup_sqlite(on, path, how);
          co_return (co_await failure_of(copying)).first;
        }(db, to, options));
  }
  [[nodiscard]] std::set<std::string> files() const {
    std::set<std::string> names;
    for (const auto& entry : fs::directory_iterator(temporary_.path())) {
      names.insert(entry.path().filename());
    }
    return names;
  }

  BlockingPool pool_;
  const std::set<std::string> own_{"test.db", "test.db-shm", "test.db-wal"};
};

TEST_F(SqliteBackupTest, has_one_state_of_what_changes_meanwhile_and_is_its_owners_alone) {
  const Database db = filled();
  const std::string to = path("copy.db");
  on_loop_.run([](Database on, std::string into) -> Task<> {
    co_await on.script("create table pairs(a integer); insert into pairs values(0), (0)");
    bool is_copied = false;
    auto change = [](Database in, const bool* is_over) -> Task<> {
      while (!*is_over) {  // each change adds two equal rows
        co_await in.exec("update pairs set a = a + 1");
        co_await in.exec("insert into notes(title) select max(id) || 'later' from notes");
      }
    };
    Scope scope;
    scope.start(change(on, &is_copied));
    const std::int64_t bytes = co_await backup_sqlite(on, into, {.pages_per_step = 1});
    is_copied = true;
    co_await scope.join();
    EXPECT_EQ(bytes, static_cast<std::int64_t>(fs::file_size(into)));
    EXPECT_GT(bytes, 6'000'000);
  }(db, to));
  struct stat about{};
  ASSERT_EQ(::stat(to.c_str(), &about), 0);
  EXPECT_EQ(about.st_mode & 0777U, 0600U);
  const Database copy = open_sqlite(to);
  on_loop_.run([](Database on) -> Task<> {
    EXPECT_EQ((co_await on.one<std::string>("pragma integrity_check")), "ok");
    EXPECT_EQ((co_await on.one<int>("select count(distinct a) from pairs")), 1);
    EXPECT_GE((co_await on.one<int>("select count(*) from notes")), 2000);
  }(copy));
}

TEST_F(SqliteBackupTest, refuses_what_it_would_harm) {
  const Database db = open();
  std::ofstream(path("there.db")) << "precious";
  std::ofstream(path("used.db-wal")) << "log";
  fs::create_hard_link(path(), path("linked.db"));
  const struct {
    const char* name;
    bool replaces;
  } kCases[] = {{"there.db", false}, {"test.db", true},  {"linked.db", true},
                {"used.db", true},   {"used.db", false}, {"absent/copy.db", false}};
  const std::set<std::string> before = files();
  for (const auto& [name, replaces] : kCases) {
    EXPECT_EQ(failure_of_copy(db, path(name), {.replaces = replaces}), FailureKind::open) << name;
  }
  EXPECT_EQ(files(), before);
  EXPECT_EQ(fs::file_size(path("there.db")), 8U);
  EXPECT_EQ(failure_of_copy(open_sqlite(":memory:"), path("m.db")), FailureKind::statement);
}

TEST_F(SqliteBackupTest, replaces_a_file_when_it_is_told_to) {
  const Database db = open();
  std::ofstream(path("there.db")) << "old";
  on_loop_.run([](Database on, std::string to) -> Task<> {
    EXPECT_GT(co_await backup_sqlite(on, to, {.replaces = true}), 3);
  }(db, path("there.db")));
  EXPECT_TRUE(try_open_sqlite(path("there.db")).has_value());
}

TEST_F(SqliteBackupTest, leaves_nothing_when_it_takes_too_long) {
  const Database db = filled();
  EXPECT_EQ(failure_of_copy(db, path("copy.db"), {.time_max = Duration(0)}), FailureKind::expired);
  EXPECT_EQ(files(), own_);
}

TEST_F(SqliteBackupTest, leaves_nothing_when_the_disk_is_full) {
  const Database db = filled();
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{.rlim_cur = 1'000'000, .rlim_max = before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  EXPECT_EQ(failure_of_copy(db, path("copy.db")), FailureKind::storage);
  EXPECT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  std::signal(SIGXFSZ, handler);
  EXPECT_EQ(files(), own_);
}

TEST_F(SqliteBackupTest, leaves_nothing_when_nobody_waits_for_it) {
  const Database db = filled();
  {
    TestLoop other;
    BlockingPool pool;  // its destructor waits for the copy
    other.loop().set_blocking_pool(&pool);
    other.run([](Database on, std::string to) -> Task<> {
      auto copy = [](Database from, std::string into) -> Task<> {
        (void)co_await backup_sqlite(from, into, {.pages_per_step = 1});
      };
      Scope dropped;
      dropped.start(copy(on, to));
      co_await on.one<int>("select 1");  // after the query for the file's name
    }(db, path("copy.db")));
  }
  EXPECT_EQ(files(), own_);
}

}  // namespace
}  // namespace eider
