// Accounts with PostgreSQL: their tables, including tables created by an older version.
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "eider/data/db/postgres/testing/test_postgres.h"
#include "eider/testkit/test_client.h"
#include "tests/account_flows/account_case.h"
#include "tests/support/postgres_tests.h"

namespace eider::test {
namespace {

class AccountsOnPostgres : public PostgresTest {
 protected:
  const Database base_ = open();
};

TEST_F(AccountsOnPostgres, HaveTheColumnOfAnOlderTableAdded) {
  script(
      base_,
      "drop table if exists eider_account_requests;"
      "create table eider_account_requests ("
      "id text primary key, purpose text not null, account text not null, email text not null, "
      "version bigint not null, tries bigint not null, due bigint not null);"
      "insert into eider_account_requests values('x', 'reset', '', 'ann@example.org', 0, 0, 0);");
  App app;
  const Sessions visits = add_sessions<Visit>(app, {.store = sql_sessions(base_)});
  Jobs jobs(base_, {});
  Outbox letters(jobs, {.transport = std::make_shared<TestMailbox>()});
  Accounts all(base_, letters, visits, options_of());
  for (int round = 0; round < 2; ++round) {
    on_loop_.run(all.start());
    EXPECT_EQ(number(base_, "select count(*) from eider_account_requests where language = ''"), 1);
  }
}

TEST(SessionsOnPostgres, AUserNameWithANulIsAnErrorOfTheClient) {
  App app;
  add_sessions<Visit>(app, {.store = sql_sessions(open_test_postgres({}))});
  app.post("/login", [](Session<Visit> session) { session.log_in(std::string("a\0b", 3)); });
  TestClient client(app);
  EXPECT_EQ(client.post("/login", json::Value()).status, 422);
}

}  // namespace
}  // namespace eider::test
