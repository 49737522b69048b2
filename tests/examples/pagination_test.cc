// Pages of lists, compared with their OpenAPI document.
#include <eider/eider.h>
#include <eider/web/pagination/pagination.h>
#include <gtest/gtest.h>

#include <vector>

#include "eider/testkit/document_check.h"
#include "eider/testkit/test_client.h"

namespace paging_example {
namespace {

using namespace eider;

struct Item {
  int id;
};

TEST(PagesOfLists, are_as_their_document_says) {
  App app;
  app.state(CursorSigner());
  app.get("/numbered", [](Query<PageQuery<2, 5>> query, Pagination pagination) {
    return pagination.page(*query, std::vector<Item>{{1}, {2}}, 9);
  });
  app.get("/cursor",
          [](Query<CursorQuery<>> query, Pagination pagination,
             State<CursorSigner> cursors) -> Result<CursorPage<Item>> {
            auto place = cursors->open<Item>(query->after);
            if (!place) {
              return fail(std::move(place.error()));
            }
            std::optional<PageCursor> next;
            if (!*place) {
              next = cursors->seal(Item{1});
            }
            return pagination.cursor_page(std::vector<Item>{{1}}, std::move(next));
          });
  serve_openapi(app, {.title = "Lists", .version = "1"});
  TestClient client(app, {.document = DocumentCheck()});
  EXPECT_EQ(client.get("/numbered?page=3").status, 200);
  EXPECT_EQ(client.get("/numbered?per_page=6").status, 400);
  const auto first = client.get("/cursor").json<CursorBody<Item>>();
  ASSERT_TRUE(first.next.has_value());
  const TestResponse last = client.get("/cursor?after=" + first.next->text());
  EXPECT_FALSE(last.json<CursorBody<Item>>().next.has_value());
  EXPECT_EQ(client.get("/cursor?after=eyJ9.AA").status, 400);
}

}  // namespace
}  // namespace paging_example
