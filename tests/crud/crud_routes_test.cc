// CRUD routes of a resource as clients use them: the five routes, errors, and other users' records.
#include "eider/web/crud/crud_routes.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "eider/data/db/sqlite/sqlite.h"
#include "eider/eider.h"
#include "eider/testkit/test_client.h"

namespace eider {
namespace {

struct NewNote {
  Sized<std::string, 1, 20> title;
  std::optional<Bounded<int, 0, 5>> stars = {};
  bool is_open = true;
};

enum class NoteOrder : std::uint8_t { title, stars_desc };

struct FindNotes {
  std::optional<int> stars_min = {};
  std::optional<std::string> title_contains = {};
  std::optional<std::int64_t> owner = {};
  NoteOrder sort = NoteOrder::title;
  PageNumber page = 1;
  PageSize<100> per_page = 20;
};

struct Note {
  std::int64_t id = 0;
  std::int64_t owner = 0;
  std::string title;
  std::optional<int> stars = {};
  bool is_open = true;
  int version = 0;
  std::optional<std::chrono::sys_seconds> gone = {};

  using New = NewNote;
  using Find = FindNotes;
};

struct ByTitle {
  std::string title;
  std::int64_t id;
};
struct Latest {
  using Place = ByTitle;
  static constexpr db::Direction kDirection = db::Direction::down;
  std::optional<PageCursor> after = {};
  PageSize<100> per_page = 2;
};

enum class Role : std::uint8_t { reader, writer };
struct User {
  std::int64_t id;
  Role role;
  static constexpr bool kIsInjectable = true;
};
struct Writer : User {};

constexpr const char* kSchema =
    "create table notes(id integer primary key autoincrement, owner integer not null, title text "
    "not null, stars integer, is_open integer not null, version integer not null default 0, gone "
    "text, unique(owner, title)); create table tasks(id integer primary key, title text not null "
    "unique, stars integer, is_open integer not null, version integer not null default 0, owner "
    "integer not null default 0, gone text); create table steps(task integer references tasks(id))";
constexpr db::Table kNotes{.name = "notes", .version = "version", .deleted = "gone"};
constexpr db::Table kTasks{.name = "tasks", .version = "version"};

class CrudRoutesTest : public ::testing::Test {
 protected:
  CrudRoutesTest() {
    App app;
    app.provide([](Header<"X-User", std::int64_t> id) { return User{*id, Role::writer}; });
    app.provide([](const User& user) -> Result<Writer> {
      return user.id < 90 ? Result<Writer>(Writer{user}) : fail(Error::forbidden("You read."));
    });
    app.state(CursorSigner(std::string(32, 'k')));
    const db::Records<Note> notes(base_, kNotes);
    CrudRoutes<Note>(app, "/notes", notes)
        .owned_by(&Note::owner, [](const User& user) { return user.id; })
        .changed_by<Writer>()
        .on_conflict("notes_owner_title_key", &NewNote::title, "is taken");
    CrudRoutes<Note, Latest>(app, "/latest", notes).owned_by(&Note::owner, [](const User& user) {
      return user.id;
    });
    const db::Records<Note> tasks(base_, kTasks);
    CrudRoutes<Note>(app, "/tasks", tasks).without_if_match();
    serve_openapi(app, {.title = "Notes", .version = "1"});
    client_.emplace(std::move(app), TestClientOptions{.document = DocumentCheck{}});
  }

  TestResponse ask(Method method, std::string target, std::string body = {},
                   std::vector<TestHeader> headers = {}, std::string user = "1") {
    headers.emplace_back("X-User", user);
    if (!body.empty()) {
      headers.emplace_back("Content-Type", method == Method::patch ? "application/merge-patch+json"
                                                                   : "application/json");
    }
    return client_->send({.method = method,
                          .target = std::move(target),
                          .headers = std::move(headers),
                          .body = std::move(body)});
  }
  TestResponse patch(std::string target, std::string body, std::string_view match,
                     std::string user = "1") {
    return ask(Method::patch, std::move(target), std::move(body), {{"If-Match", match}},
               std::move(user));
  }
  std::string titles(const std::string& target, std::string user = "1") {
    const TestResponse reply = ask(Method::get, target, {}, {}, std::move(user));
    if (reply.status != 200) {
      return std::to_string(reply.status);
    }
    std::string text;
    const json::Value body = reply.json();
    for (const json::Value& item : body["items"].elements()) {
      text += item["title"].text() + " ";
    }
    return text;
  }

  Database base_ =
      open_sqlite(":memory:", {.runs_on = SqliteOptions::RunsOn::loop, .schema = kSchema});
  std::optional<TestClient> client_;
};

TEST_F(CrudRoutesTest, make_show_change_and_remove_a_record) {
  const TestResponse made = ask(Method::post, "/notes", R"({"title":"Milk","stars":3})");
  EXPECT_EQ(made.status, 201);
  EXPECT_EQ(made.header("Location"), "/notes/1");
  EXPECT_EQ(made.header("ETag"), "\"0\"");
  EXPECT_EQ(made.json()["owner"], 1);
  const TestResponse shown = ask(Method::get, "/notes/1");
  EXPECT_EQ(shown.status, 200);
  EXPECT_EQ(shown.header("ETag"), "\"0\"");
  EXPECT_EQ(shown.json(), made.json());
  EXPECT_EQ(ask(Method::head, "/notes/1").header("ETag"), "\"0\"");
  EXPECT_EQ(ask(Method::get, "/notes/1", {}, {{"If-None-Match", "\"0\""}}).status, 304);
  EXPECT_EQ(ask(Method::get, "/notes/1", {}, {{"If-None-Match", "*"}}).status, 304);

  const TestResponse changed = patch("/notes/1", R"({"stars":null,"is_open":false})", "\"0\"");
  EXPECT_EQ(changed.status, 200);
  EXPECT_EQ(changed.header("ETag"), "\"1\"");
  EXPECT_EQ(changed.json()["title"], "Milk");
  EXPECT_EQ(changed.json().find("stars"), nullptr);
  EXPECT_EQ(changed.json()["is_open"], false);
  EXPECT_EQ(patch("/notes/1", R"({"title":"Late"})", "\"0\"").status, 412);
  EXPECT_EQ(ask(Method::patch, "/notes/1", R"({"title":"Blind"})").status, 428);
  EXPECT_EQ(patch("/notes/1", "{}", "W/\"1\"").header("ETag"), "\"1\"") << "nothing differs";

  EXPECT_EQ(ask(Method::delete_, "/notes/1", {}, {{"If-Match", "\"0\""}}).status, 412);
  EXPECT_EQ(ask(Method::delete_, "/notes/1", {}, {{"If-Match", "\"1\""}}).status, 204);
  EXPECT_EQ(ask(Method::delete_, "/notes/1").status, 404);
  EXPECT_EQ(ask(Method::get, "/notes/1", {}, {{"If-None-Match", "\"1\""}}).status, 404);
  EXPECT_EQ(ask(Method::get, "/notes/1", {}, {{"If-None-Match", "\"2\""}}).status, 404);
  EXPECT_EQ(patch("/notes/1", R"({"title":"Back"})", "\"2\"").status, 404);
  EXPECT_EQ(patch("/notes/1", R"({"title":"Back"})", "*").status, 404);
}

TEST_F(CrudRoutesTest, take_from_clients_what_they_may_set_alone) {
  ask(Method::post, "/notes", R"({"title":"Milk"})");
  for (const char* member : {"id", "version", "owner", "gone", "absent"}) {
    const std::string value = std::string(R"({"title":"x",")") + member + "\":7}";
    for (const TestResponse& reply :
         {ask(Method::post, "/notes", value), patch("/notes/1", value, "*")}) {
      EXPECT_EQ(reply.status, 422) << member;
      EXPECT_EQ(reply.problem().errors.at(0).pointer, std::string("/") + member);
    }
  }
  for (const char* body : {R"({"title":null})", R"({"title":""})", R"({"stars":6})",
                           R"({"is_open":"x"})", "[]", "3", "null", R"({"title":{"a":1}})"}) {
    EXPECT_EQ(patch("/notes/1", body, "*").status, 422) << body;
  }
  EXPECT_EQ(patch("/notes/1", "{", "*").status, 400);
  EXPECT_EQ(ask(Method::get, "/notes/1").header("ETag"), "\"0\"");
  EXPECT_EQ(patch("/notes/1", R"({"is_open":null})", "*").json()["is_open"], true)
      << "null takes a member away, and this one has a default";
}

TEST_F(CrudRoutesTest, say_which_member_a_constraint_refuses) {
  ask(Method::post, "/notes", R"({"title":"Milk"})");
  ask(Method::post, "/notes", R"({"title":"Eggs"})");
  for (const TestResponse& reply : {ask(Method::post, "/notes", R"({"title":"Milk"})"),
                                    patch("/notes/2", R"({"title":"Milk"})", "*")}) {
    EXPECT_EQ(reply.status, 422);
    EXPECT_EQ(reply.problem().errors.at(0).pointer, "/title");
    EXPECT_EQ(reply.problem().errors.at(0).code, "taken");
  }
  EXPECT_EQ(ask(Method::post, "/notes", R"({"title":"Milk"})", {}, "2").status, 201);
}

TEST_F(CrudRoutesTest, keep_what_is_anothers_from_everybody) {
  ask(Method::post, "/notes", R"({"title":"Mine"})");
  EXPECT_EQ(ask(Method::get, "/notes/1", {}, {}, "2").status, 404);
  EXPECT_EQ(ask(Method::get, "/notes/1", {}, {{"If-None-Match", "\"0\""}}, "2").status, 404);
  EXPECT_EQ(patch("/notes/1", R"({"title":"Stolen"})", "\"0\"", "2").status, 404);
  EXPECT_EQ(ask(Method::delete_, "/notes/1", {}, {}, "2").status, 404);
  for (const char* query : {"", "?owner=1", "?title_contains=M", "?sort=stars_desc"}) {
    EXPECT_EQ(titles(std::string("/notes") + query, "2"), "") << query;
    EXPECT_EQ(ask(Method::get, std::string("/notes") + query, {}, {}, "2").json()["total"], 0);
  }
  EXPECT_EQ(titles("/latest", "2"), "");
  EXPECT_EQ(titles("/notes"), "Mine ");
  EXPECT_EQ(ask(Method::get, "/notes/1").header("Cache-Control"), "no-cache, private");
  EXPECT_GE(client_->get("/notes/1").status, 400) << "of nobody";
  EXPECT_GE(client_->get("/notes").status, 400);
  EXPECT_GE(client_->post("/notes", NewNote{.title = "x"}).status, 400);
}

TEST_F(CrudRoutesTest, let_those_change_who_may) {
  ask(Method::post, "/notes", R"({"title":"Mine"})", {}, "1");
  EXPECT_EQ(ask(Method::get, "/notes", {}, {}, "91").status, 200);
  EXPECT_EQ(ask(Method::post, "/notes", R"({"title":"x"})", {}, "91").status, 403);
  EXPECT_EQ(patch("/notes/1", "{}", "*", "91").status, 403);
  EXPECT_EQ(ask(Method::delete_, "/notes/1", {}, {}, "91").status, 403);
}

TEST_F(CrudRoutesTest, list_by_what_is_allowed_in_pages) {
  for (const char* body : {R"({"title":"b","stars":1})", R"({"title":"a","stars":2})",
                           R"({"title":"c%","stars":5})"}) {
    EXPECT_EQ(ask(Method::post, "/notes", body).status, 201);
  }
  EXPECT_EQ(titles("/notes"), "a b c% ");
  EXPECT_EQ(titles("/notes?sort=stars_desc"), "c% a b ");
  EXPECT_EQ(titles("/notes?stars_min=2"), "a c% ");
  EXPECT_EQ(titles("/notes?title_contains=%25"), "c% ");
  EXPECT_EQ(titles("/notes?per_page=2&page=2"), "c% ");
  const TestResponse first = ask(Method::get, "/notes?per_page=2");
  EXPECT_EQ(first.json()["total"], 3);
  EXPECT_TRUE(first.header("Link").value_or("").contains("page=2")) << first.body;
  EXPECT_EQ(ask(Method::get, "/notes?per_page=2", {},
                {{"If-None-Match", std::string(first.header("ETag").value_or(""))}})
                .status,
            304);
  for (const char* query :
       {"sort=version", "sort=id;drop+table+notes", "sort=title,owner", "sort=0", "per_page=101",
        "per_page=0", "per_page=-1", "per_page=99999999999999999999", "page=0", "page=1000001",
        "page=9223372036854775807", "version=0", "gone=1", "1%3D1=1", "stars_min=x",
        "title%27--=1"}) {
    EXPECT_EQ(titles(std::string("/notes?") + query), "400") << query;
  }
  EXPECT_EQ(titles("/notes?page=1000000&per_page=100"), "");
  EXPECT_EQ(titles("/notes?title_contains=%27+or+1%3D1+--"), "");
}

TEST_F(CrudRoutesTest, list_by_keyset_with_places_of_their_own) {
  for (const char* body : {R"({"title":"b"})", R"({"title":"a"})", R"({"title":"c"})"}) {
    ask(Method::post, "/notes", body);
  }
  const TestResponse first = ask(Method::get, "/latest");
  EXPECT_EQ(titles("/latest"), "c b ");
  const std::string next = first.json()["next"].text();
  EXPECT_EQ(titles("/latest?after=" + next), "a ");
  EXPECT_EQ(ask(Method::get, "/latest?after=" + next).json().find("next"), nullptr);
  EXPECT_EQ(titles("/latest?after=" + next, "2"), "") << "a place says nothing of whose";
  const PageCursor other = CursorSigner(std::string(32, 'x')).seal(ByTitle{"z", 1});
  for (const std::string& forged : {other.text(), "x" + next, next + "x", std::string("a.b")}) {
    EXPECT_EQ(titles("/latest?after=" + forged), "400") << forged;
  }
}

TEST_F(CrudRoutesTest, refuse_by_the_schema_what_others_refer_to) {
  EXPECT_EQ(ask(Method::post, "/tasks", R"({"title":"a"})").status, 201);
  const TestResponse blind = ask(Method::patch, "/tasks/1", R"({"stars":2})");
  EXPECT_EQ(blind.status, 200) << "said by without_if_match";
  EXPECT_EQ(blind.header("ETag"), "\"1\"");
  EXPECT_EQ(patch("/tasks/1", R"({"stars":3})", "\"0\"").status, 412) << "where it is, it counts";
  EXPECT_EQ(ask(Method::post, "/tasks", R"({"title":"a"})").status, 409) << "without a member";
  EXPECT_EQ(ask(Method::get, "/tasks/9223372036854775808").status, 400);
  EXPECT_EQ(ask(Method::get, "/tasks/1%20or%201=1").status, 400);
  EXPECT_EQ(ask(Method::delete_, "/tasks/1").status, 204);
}

struct WithOwner {
  std::string title;
  std::int64_t owner = 0;
};
struct WithVersion {
  std::string title;
  int version = 0;
};
struct Unbounded {
  int page = 1;
  int per_page = 20;
};
struct ByAnything {
  std::string sort = kOptional;
  PageNumber page = 1;
  PageSize<100> per_page = 20;
};
enum class Wrong : std::uint8_t { title, absent };
struct ByAbsent {
  Wrong sort = Wrong::title;
  PageNumber page = 1;
  PageSize<100> per_page = 20;
};
struct OfAbsent {
  std::optional<int> absent = {};
  PageNumber page = 1;
  PageSize<100> per_page = 20;
};

TEST_F(CrudRoutesTest, that_cannot_be_right_stop_the_start) {
  App app;
  const db::Records<Note> notes(base_, kNotes);
  const auto owner = [](const User& user) { return user.id; };
  EXPECT_THROW((CrudRoutes<Note>(app, "/a", db::Records<Note>(base_, {.name = "notes"}))), Failure);
  EXPECT_THROW((CrudRoutes<Note, PageQuery<>, WithVersion>(app, "/b", notes)), Failure);
  EXPECT_THROW(
      (CrudRoutes<Note, PageQuery<>, WithOwner>(app, "/c", notes).owned_by(&Note::owner, owner)),
      Failure);
  EXPECT_THROW((CrudRoutes<Note, Unbounded>(app, "/d", notes)), Failure);
  EXPECT_THROW((CrudRoutes<Note, ByAnything>(app, "/e", notes)), Failure);
  EXPECT_THROW((CrudRoutes<Note, ByAbsent>(app, "/f", notes)), Failure);
  EXPECT_THROW((CrudRoutes<Note, OfAbsent>(app, "/g", notes)), Failure);
  EXPECT_THROW((CrudRoutes<Note, PageQuery<>, NewNote, &Note::owner>(app, "/h", notes)), Failure);
}

}  // namespace
}  // namespace eider
