// Violated database constraints, reported at fields of a form.
#include <gtest/gtest.h>

#include <string>

#include "eider/app/app.h"
#include "eider/data/db/sqlite/sqlite.h"
#include "eider/testkit/test_client.h"
#include "eider/web/forms/forms.h"

namespace eider {
namespace {

struct NewUser {
  std::string name;
  std::string email;
};

Task<std::string> add_user(BoundForm<NewUser> form, State<Database> db) {
  const db::Conflict taken[] = {{"users_email_key", &NewUser::email, "is taken"}};
  try {
    co_await db->exec("insert into users values($1, $2)", form->name, form->email);
  } catch (const db::Failure& failure) {
    form.add(db::explain(failure, taken).error());
  }
  co_return views::field(form.view(), "email").html();
}

TEST(FormConflicts, shows_at_its_field_what_is_taken) {
  App app;
  app.state(open_sqlite(":memory:", {.runs_on = SqliteOptions::RunsOn::loop,
                                     .schema = "create table Users(name, Email unique)"}));
  app.post("/users", add_user);
  TestClient client(app);
  const auto post = [&client](const char* body) {
    return client
        .send({.method = Method::post,
               .target = "/users",
               .headers = {{"Content-Type", "application/x-www-form-urlencoded"}},
               .body = body})
        .body;
  };
  EXPECT_EQ(post("name=ann&email=a%40b").find("taken"), std::string::npos);
  const std::string field = post("name=bob&email=a%40b");
  EXPECT_NE(field.find("Is taken"), std::string::npos) << field;
  EXPECT_NE(field.find("value=\"a@b\""), std::string::npos) << field;
}

}  // namespace
}  // namespace eider
