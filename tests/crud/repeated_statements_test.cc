// The warning about repeated statements (N+1 queries): once, and only for such requests.
#include "eider/web/crud/repeated_statements.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "eider/data/db/sqlite/sqlite.h"
#include "eider/data/db/statement_watch.h"
#include "eider/eider.h"
#include "eider/testkit/log_lines.h"
#include "eider/testkit/test_client.h"

namespace eider {
namespace {

Task<int> ask(Database db, int number) {
  co_return (co_await db.one<int>("select $1", number)).value_or(0);
}

/// Executes the statements one by one, in tasks that the handler awaits.
Task<std::string> ask_often(int times, State<Database> db) {
  int sum = 0;
  for (int i = 0; i < times; ++i) {
    sum += co_await ask(*db, 1);
  }
  co_return std::to_string(sum);
}

class RepeatedStatementsTest : public ::testing::Test {
 protected:
  RepeatedStatementsTest() {
    app_.state(open_sqlite(":memory:", {.runs_on = SqliteOptions::RunsOn::loop}));
    app_.use(repeated_statements({.times_max = 3, .log = log_}));
    app_.get("/parts/{times}", ask_often);
    app_.get("/others/{times}", [](int times, State<Database> db) { return ask_often(times, db); });
    app_.get("/different", [](State<Database> db) -> Task<int> {
      int sum = 0;
      for (int i = 0; i < 9; ++i) {
        const db::RuntimeSql sql{"select " + std::to_string(i)};
        sum += (co_await db->one<int>(sql)).value_or(0);
      }
      co_return sum;
    });
  }

  App app_;
  const std::shared_ptr<LogLines> log_ = std::make_shared<LogLines>();
};

TEST_F(RepeatedStatementsTest, are_told_once_with_their_route) {
  TestClient client(app_);
  EXPECT_EQ(client.get("/parts/3").body, "3");
  EXPECT_TRUE(log_->lines.empty()) << log_->lines.front();
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(client.get("/parts/9").body, "9");
  }
  ASSERT_EQ(log_->lines.size(), 1U);
  EXPECT_TRUE(log_->lines[0].contains("GET /parts/{times} runs")) << log_->lines[0];
  EXPECT_TRUE(log_->lines[0].contains("select $1")) << log_->lines[0];
  EXPECT_EQ(client.get("/others/9").body, "9");
  EXPECT_EQ(log_->lines.size(), 2U) << "another route is told of by itself";
}

TEST_F(RepeatedStatementsTest, are_those_of_one_request) {
  TestClient client(app_);
  for (int i = 0; i < 9; ++i) {
    EXPECT_EQ(client.get("/parts/1").status, 200);
  }
  EXPECT_EQ(client.get("/different").body, "36");
  EXPECT_TRUE(log_->lines.empty()) << log_->lines.front();
  EXPECT_EQ(db::StatementWatch::current(), nullptr);
}

}  // namespace
}  // namespace eider
