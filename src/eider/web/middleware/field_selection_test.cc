#include "eider/web/middleware/field_selection.h"

#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "eider/app/app.h"
#include "eider/testkit/test_client.h"
#include "eider/web/middleware/negotiation.h"
#include "eider/web/middleware/response_cache.h"

namespace eider {
namespace {

struct Book {
  int id;
  std::string title;
  std::vector<std::string> tags;
  std::string secret;
};
struct BookPage {
  std::vector<Book> items;
  int total;
};
struct BookSearch {
  std::optional<std::string> q;
};

Book book(int id) {
  return {id, "t" + std::to_string(id), {"a"}, "hidden"};
}

App library() {
  App app;
  const FieldSelection some{.allowed = {"id", "title", "tags"}};
  app.get("/one", [] { return book(1); }).use(select_fields<Book>(some));
  app.get("/many",
          [](Query<BookSearch> search) {
            return std::vector<Book>{book(1), book(search->q ? 7 : 2)};
          })
      .use(select_fields<Book>(some));
  app.get("/page", [] { return BookPage{{book(1)}, 1}; })
      .use(select_fields<Book>({.allowed = {"id"}, .parameter = "only", .at = "/items"}));
  app.get("/all", [] { return book(1); }).use(select_fields<Book>());
  app.get("/text", [] { return "text"; }).use(select_fields<Book>());
  app.get("/missing", []() -> std::optional<Book> { return std::nullopt; })
      .use(select_fields<Book>(some));
  return app;
}

TEST(FieldSelection, leaves_what_was_asked_for_in_its_order) {
  const App app = library();
  TestClient client(app);
  EXPECT_EQ(client.get("/one?fields=title,id").body, R"({"id":1,"title":"t1"})");
  EXPECT_EQ(client.get("/one?fields=tags").body, R"({"tags":["a"]})");
  EXPECT_EQ(client.get("/one?fields=id%2C+title").body, R"({"id":1,"title":"t1"})");
  EXPECT_EQ(client.get("/many?fields=id").body, R"([{"id":1},{"id":2}])");
  EXPECT_EQ(client.get("/page?only=id").body, R"({"items":[{"id":1}],"total":1})");
  EXPECT_EQ(client.get("/all?fields=secret").body, R"({"secret":"hidden"})");
  EXPECT_EQ(client.get("/one").json().size(), 4U);
  EXPECT_EQ(client.get("/text?fields=id").body, "text");
  EXPECT_EQ(client.get("/missing?fields=id").problem().status, 404);
}

TEST(FieldSelection, takes_its_parameter_out_of_the_query) {
  const App app = library();
  TestClient client(app);
  EXPECT_EQ(client.get("/many?q=x&fields=id").body, R"([{"id":1},{"id":7}])");
  EXPECT_EQ(client.get("/many?fields=id&q=x").body, R"([{"id":1},{"id":7}])");
  EXPECT_EQ(client.get("/many?fields=id&other=x").status, 400);
}

TEST(FieldSelection, refuses_what_is_not_allowed_and_says_what_is) {
  const App app = library();
  TestClient client(app);
  for (const std::string_view asked :
       {"secret", "id,secret", "ID", "", ",", "nothing", "id&fields=title", "id.x", "%zz"}) {
    const TestResponse reply = client.get("/one?fields=" + std::string(asked));
    EXPECT_EQ(reply.status, 400) << asked;
    ASSERT_EQ(reply.problem().errors.size(), 1U) << asked;
    EXPECT_EQ(reply.problem().errors[0].pointer, "fields");
    EXPECT_EQ(reply.problem().errors[0].detail, "must be one of id, title, tags");
  }
  std::string many = "id";
  for (int name = 0; name < 64; ++name) {
    many += ",id";
  }
  EXPECT_EQ(client.get("/one?fields=" + many).status, 400);
}

TEST(FieldSelection, stands_inside_of_other_formats_and_of_what_is_kept) {
  App app;
  int calls_made = 0;
  app.use(negotiate());
  app.use(response_cache({.ttl = std::chrono::seconds(60)}));
  app.get("/many",
          [&calls_made] {
            ++calls_made;
            return std::vector<Book>{book(1)};
          })
      .use(select_fields<Book>());
  TestClient client(app);
  EXPECT_EQ(
      client.send({.target = "/many?fields=id,title", .headers = {{"Accept", "text/csv"}}}).body,
      "id,title\r\n1,t1\r\n");
  EXPECT_EQ(client.get("/many?fields=id").body, R"([{"id":1}])");
  EXPECT_EQ(client.get("/many?fields=title").body, R"([{"title":"t1"}])");
  EXPECT_EQ(calls_made, 1);
}

TEST(FieldSelection, of_what_the_type_has_not_is_a_mistake_at_once) {
  EXPECT_THROW((void)select_fields<Book>({.allowed = {"id", "autor"}}), std::invalid_argument);
}

}  // namespace
}  // namespace eider
