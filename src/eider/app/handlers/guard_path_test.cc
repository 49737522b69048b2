// Path parameters of guards: of routes, of groups, and of providers.
#include <gtest/gtest.h>

#include <string>

#include "eider/app/app.h"
#include "eider/app/handlers/websocket.h"
#include "eider/io/runtime/sleep.h"
#include "eider/testkit/test_client.h"
#include "tests/support/guards_app.h"

namespace eider {

/// A note with an owner, found by its number. Named, because compilers spell unnamed namespaces
/// differently.
struct OwnedNote {
  int id;
};

namespace {

Result<OwnedNote> find_note(int id) {
  if (id > 9) {
    return fail(Error::not_found());
  }
  return OwnedNote{id};
}

TEST(GuardsOfPaths, take_the_values_by_their_types) {
  App app;
  app.get("/notes/{id}/{word}",
          [](std::string_view id, std::string_view word) { return std::string(id).append(word); })
      .guard([](int id, std::string_view word) -> Result<void> {
        return id == 7 && word != "secret" ? Result<void>() : fail(Error::forbidden("Not yours."));
      })
      .guard([](std::uint8_t) {});
  TestClient client(app);
  EXPECT_EQ(client.get("/notes/7/a%20b").body, "7a b");
  EXPECT_EQ(client.get("/notes/8/a").status, 403);
  EXPECT_EQ(client.get("/notes/7/secret").status, 403);
  const TestResponse wrong = client.get("/notes/seven/a");
  EXPECT_EQ(wrong.status, 400);
  EXPECT_TRUE(wrong.body.contains("\"id\"")) << wrong.body;
}

TEST(GuardsOfPaths, may_wait_and_block) {
  App app;
  app.get("/{id}", [](int id) { return id; }).guard([](int id) -> Task<Result<void>> {
    co_await sleep_for(std::chrono::milliseconds(5));
    co_return id == 7 ? Result<void>() : fail(Error::forbidden("Not yours."));
  });
  app.get("/blocking/{id}", [](int id) { return id; }).guard(blocking([](int id) -> Result<void> {
    return id == 7 ? Result<void>() : fail(Error::forbidden("Not yours."));
  }));
  TestClient client(app);
  for (const std::string path : {"/", "/blocking/"}) {
    EXPECT_EQ(client.get(path + "7").body, "7");
    EXPECT_EQ(client.get(path + "8").status, 403);
    EXPECT_EQ(client.get(path + "x").status, 400);
  }
}

TEST(GuardsOfPaths, stand_ahead_of_groups_whose_routes_all_name_them) {
  App app;
  Routes notes = app.group("/notes");
  notes.guard([](int id) { return find_note(id); });
  notes.get("/{id}", [](int, Extension<OwnedNote> note) { return note->id; });
  notes.del("/{id}/tags/{tag}", [](int, std::string_view, Extension<OwnedNote>) {});
  notes.ws("/{id}/feed", [](WebSocket, int) -> Task<> { co_return; });
  TestClient client(app);
  EXPECT_EQ(client.get("/notes/3").body, "3");
  EXPECT_EQ(client.get("/notes/10").status, 404);
  EXPECT_EQ(client.get("/notes/10/feed").status, 404);
  EXPECT_EQ(client.send({.method = Method::delete_, .target = "/notes/3/tags/x"}).status, 204);
}

TEST(GuardsOfPaths, make_what_handlers_ask_for_by_it) {
  App app;
  app.provide([](int id) { return find_note(id); });
  app.get("/notes/{id}", [](int, Extension<OwnedNote> note) { return note->id; });
  app.get("/none", [] { return "none"; });  // needs no note
  TestClient client(app);
  EXPECT_EQ(client.get("/notes/3").body, "3");
  EXPECT_EQ(client.get("/notes/x").status, 400);
  EXPECT_EQ(client.get("/none").body, "none");
}

TEST(GuardsOfPaths, are_told_by_the_route_that_lacks_a_value) {
  App app;
  Routes notes = app.group("/notes");
  notes.guard([](int id) { return find_note(id); });
  notes.get("/{id}", [](int id) { return id; });
  notes.get("/", [] { return "all"; });
  EXPECT_EQ(start_error_of(app),
            "GET /notes/: the provider of eider::OwnedNote has a path parameter (int) that the "
            "pattern of this route does not contain. Add {name} to the pattern\n");
}

// The first path parameter of another route means something else: "7" of a user would open note 7.
TEST(GuardsOfPaths, are_told_by_routes_that_call_the_value_otherwise) {
  App app;
  app.guard([](int) {});
  app.get("/notes/{note}", [](int id) { return id; });
  app.get("/notes/{note}/{other}", [](int id, int) { return id; });
  app.get("/users/{user}", [](int id) { return id; });
  EXPECT_EQ(start_error_of(app),
            "a guard reads {note} of GET /notes/{note}, and {user} of GET /users/{user}. Use the "
            "same name in both patterns, or add the guard only to routes with that name\n");
}

TEST(GuardsOfPaths, are_described_with_their_routes) {
  App app;
  app.guard([](int) {});
  app.get("/a/{id}", [](std::string_view) {}).guard([](int) {});
  app.get("/b/{id}", [](std::string_view) {}).guard([](int) {});
  const auto operations = app.operations();
  ASSERT_EQ(operations.size(), 2U);
  for (const Operation& operation : operations) {
    EXPECT_EQ(operation.parameters.size(), 1U);
    EXPECT_NE(operation.find_response(400), nullptr);
  }
}

TEST(PatternsMadeAtRunTime, that_name_too_few_values_are_told_at_the_start) {
  App app;
  app.get(RuntimePattern{"/notes"}, [](int id) { return id; });
  app.ws(RuntimePattern{"/feed/{id}"}, [](WebSocket, int, std::string) -> Task<> { co_return; });
  const std::string wrong = start_error_of(app);
  EXPECT_TRUE(
      wrong.contains("GET /notes: its handler has a path parameter (int) that the pattern of this "
                     "route does not contain"))
      << wrong;
  EXPECT_TRUE(wrong.contains("GET /feed/{id}: its handler has a path parameter (std::")) << wrong;
}

}  // namespace
}  // namespace eider
