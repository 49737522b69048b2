// The routes of the notes example: each response is compared with the OpenAPI document. Each test
// has its own database.
#include <eider/data/db/sqlite/sqlite.h>
#include <eider/eider.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "eider/testkit/test_client.h"
#include "examples/notes/routes.h"
#include "examples/notes/store.h"

namespace notes {
namespace {

using eider::TestClient;
using eider::TestResponse;

/// A note as clients send it, valid or invalid.
struct Sent {
  std::string title;
  std::string body;
  int stars = 0;
};

class NotesExample : public ::testing::Test {
 protected:
  static eider::App make_app() {
    eider::App app;
    add_pages(app);
    add_api(app);
    add_store(app, eider::open_sqlite(":memory:", {.runs_on = eider::SqliteOptions::RunsOn::loop}));
    return app;
  }

  eider::App app = make_app();
  TestClient client{app, {.document = eider::DocumentCheck{.below = "/api/v1"}}};
};

TEST_F(NotesExample, are_kept_as_their_document_says) {
  EXPECT_EQ(client.get("/api/v1/notes").json<Listing>().total, 0);
  const TestResponse made = client.post("/api/v1/notes", Sent{"Milk", "Two bottles.", 3});
  EXPECT_EQ(made.status, 201);
  EXPECT_EQ(made.header("Location"), "/api/v1/notes/1");
  EXPECT_EQ(client.get("/api/v1/notes/1").json<Note>().title, "Milk");
  EXPECT_EQ(client.put("/api/v1/notes/1", Sent{"Bread", "One.", 0}).json<Note>().stars, 0);
  const TestResponse listed = client.get("/api/v1/notes?page=1&per_page=5");
  EXPECT_EQ(listed.json<Listing>().notes.at(0).title, "Bread");
  EXPECT_EQ(client.del("/api/v1/notes/1").status, 204);
}

TEST_F(NotesExample, refuse_as_their_document_says) {
  EXPECT_EQ(client.get("/api/v1/notes/9").status, 404);
  EXPECT_EQ(client.get("/api/v1/notes/x").status, 400);
  EXPECT_EQ(client.get("/api/v1/notes?page=0").status, 400);
  EXPECT_EQ(client.get("/api/v1/notes?fbclid=x").status, 400);
  EXPECT_EQ(client.put("/api/v1/notes/9", Sent{"a", "b"}).status, 404);
  EXPECT_EQ(client.del("/api/v1/notes/9").status, 404);
  EXPECT_EQ(client.post("/api/v1/notes", Sent{"", "b", 7}).problem().errors.size(), 2U);
  EXPECT_EQ(client.post_form("/api/v1/notes", {{"title", "a"}}).status, 415);
  EXPECT_EQ(client
                .send({.method = eider::Method::post,
                       .target = "/api/v1/notes",
                       .headers = {{"Content-Type", "application/json"}},
                       .body = "{"})
                .status,
            400);
}

TEST_F(NotesExample, come_from_forms_too) {
  TestClient browser(app, {.keeps_cookies = true, .redirects_max = 1});
  EXPECT_EQ(browser.post_form("/notes", {{"title", "Milk"}, {"body", "Two."}}).status, 403);
  const std::string page = browser.get("/?fbclid=x&page=1").body;
  const std::string_view before = "name=\"csrf_token\" value=\"";
  const std::size_t begin = page.find(before) + before.size();
  const std::string token = page.substr(begin, page.find('"', begin) - begin);
  const eider::TestResponse added = browser.post_form(
      "/notes", {{"title", " Milk "}, {"body", "Two."}, {"stars", "2"}, {"csrf_token", token}});
  EXPECT_TRUE(added.body.contains(">Milk</a>") && added.body.contains("Added")) << added.body;
  const eider::TestResponse refused =
      browser.post_form("/notes", {{"title", " "}, {"body", "kept"}, {"csrf_token", token}});
  EXPECT_EQ(refused.status, 422);
  EXPECT_TRUE(refused.body.contains("Give the note a title.") && refused.body.contains("kept"));
  EXPECT_EQ(browser.post_form("/notes/1/stars", {{"stars", "9"}, {"csrf_token", token}}).status,
            422);
  EXPECT_EQ(browser.get("/notes/77").status, 404);
  EXPECT_EQ(browser.get("/api/v1/notes/1").json<Note>().stars, 2);
}

}  // namespace
}  // namespace notes
