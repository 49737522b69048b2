// What TestClientOptions::document does with an app that serves its document.
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "eider/base/failure.h"
#include "eider/eider.h"
#include "eider/testkit/test_client.h"

namespace eider {
namespace {

struct NewHeldNote {
  Length<std::string, 1, 20> title;
  std::optional<Range<int, 0, 5>> stars;
};
struct HeldNote {
  int id;
  std::string title;
};

App held_app() {
  App app;
  app.get("/notes/{id}", [](int id) -> Result<HeldNote> {
    return id == 1 ? Result<HeldNote>(HeldNote{1, "Milk"}) : fail(Error::not_found());
  });
  app.post("/notes",
           [](Json<NewHeldNote> note) { return Created(HeldNote{1, *note->title}, "/notes/1"); });
  app.get("/count", [] { return 3; });
  app.get("/text", [] { return "text"; });
  app.get("/lines", [](JsonLines<HeldNote> lines) -> Task<> { co_await lines.send({1, "a"}); });
  app.get("/thrown", [](Query<HeldNote>) -> int { throw Failure(Error::conflict("No.")); });
  app.get("/html", [] { return With(std::string("<p>")).header("Content-Type", "text/html"); });
  serve_openapi(app);
  app.get("/later", [] { return "added behind the document"; });
  return app;
}

/// What the check says of GET `target`; empty: nothing.
std::string said_of(TestClient& client, std::string target) {
  try {
    (void)client.get(std::move(target));
    return {};
  } catch (const Failure& failure) {
    return failure.what();
  }
}

TEST(DocumentAsTest, takes_every_answer_that_is_as_it_says) {
  const App app = held_app();
  TestClient client(app, {.document = DocumentCheck()});
  EXPECT_EQ(client.get("/notes/1").status, 200);
  EXPECT_EQ(client.get("/notes/2").status, 404);
  EXPECT_EQ(client.get("/notes/x").status, 400);
  EXPECT_EQ(client.post("/notes", json::object({{"title", "a"}})).status, 201);
  EXPECT_EQ(client.post("/notes", json::object({{"title", ""}, {"stars", 9}})).status, 422);
  EXPECT_EQ(client.post_form("/notes", {{"title", "a"}}).status, 415);
  EXPECT_EQ(client.get("/count").status, 200);
  EXPECT_EQ(client.get("/text").status, 200);
  EXPECT_EQ(client.get("/lines").status, 200);
  EXPECT_EQ(client.get("/nowhere").status, 404);
  EXPECT_EQ(client.del("/notes/1").status, 405);
  EXPECT_EQ(client.head("/notes/1").status, 200);
  EXPECT_EQ(client.get("/openapi.json").status, 200);
}

TEST(DocumentAsTest, fails_by_one_that_is_not) {
  const App app = held_app();
  TestClient client(app, {.document = DocumentCheck()});
  EXPECT_EQ(said_of(client, "/later"),
            "GET /later answered 200 otherwise than /openapi.json has it:\n"
            "  the document has no such path\n  added behind the document");
  EXPECT_TRUE(said_of(client, "/thrown?id=1&title=a")
                  .contains("the document does not know this status: it has 200, 400"))
      << said_of(client, "/thrown?id=1&title=a");
  EXPECT_TRUE(said_of(client, "/html").contains("type \"text/html\"")) << said_of(client, "/html");
  TestClient lenient(app,
                     {.document = DocumentCheck{.leaves_out = {"/later"}, .may_answer = {409}}});
  EXPECT_EQ(said_of(lenient, "/later"), "");
  EXPECT_EQ(said_of(lenient, "/thrown?id=1&title=a"), "");
}

TEST(DocumentAsTest, needs_a_document) {
  App app;
  app.get("/", [] { return 1; });
  EXPECT_THROW(TestClient(app, {.document = DocumentCheck()}), Failure);
}

}  // namespace
}  // namespace eider
