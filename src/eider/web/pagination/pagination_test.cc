#include "eider/web/pagination/pagination.h"

#include <gtest/gtest.h>

#include "eider/app/app.h"
#include "eider/core/base/failure.h"
#include "eider/core/reflect/optional_initializer.h"
#include "eider/testkit/test_client.h"

namespace eider {
namespace {

constexpr int kTotal = 95;

struct Item {
  int id;
};
struct Place {
  int id;
};
struct OtherPlace {
  int id;
};
struct Search {
  std::string q = kOptional;
  PageNumber page = 1;
  PageSize<50> per_page = 10;
};

std::vector<Item> items_from(std::int64_t first, std::int64_t count) {
  std::vector<Item> items;
  for (std::int64_t id = first; id < first + count && id < kTotal; ++id) {
    items.push_back({static_cast<int>(id)});
  }
  return items;
}

App make_app() {
  App app;
  app.state(CursorSigner(std::string(32, 'k')));
  app.get("/numbered", [](Query<PageQuery<>> query, Pagination pagination) {
    return pagination.page(*query, items_from(offset_of(*query), query->per_page), kTotal);
  });
  app.get("/search", [](Query<Search> query, Pagination pagination) {
    return pagination.page(*query, std::vector<Item>(), 30);
  });
  app.get("/cursor",
          [](Query<CursorQuery<2, 5>> query, Pagination pagination,
             State<CursorSigner> cursors) -> Result<CursorPage<Item>> {
            auto place = cursors->open<Place>(query->after);
            if (!place) {
              return fail(std::move(place.error()));
            }
            const int first = *place ? (**place).id + 1 : 0;
            std::vector<Item> items = items_from(first, query->per_page);
            std::optional<PageCursor> next;
            if (!items.empty() && items.back().id + 1 < kTotal) {
              next = cursors->seal(Place{items.back().id});
            }
            return pagination.cursor_page(std::move(items), std::move(next));
          });
  return app;
}

class Pages : public ::testing::Test {
 protected:
  Pages() : client_(make_app()) {}
  TestClient client_;
};

TEST_F(Pages, are_json_with_the_others_in_a_link_field) {
  const TestResponse reply = client_.get("/numbered?page=2&per_page=40");
  EXPECT_EQ(reply.status, 200);
  EXPECT_TRUE(reply.body.starts_with(R"({"items":[{"id":40},{"id":41})")) << reply.body;
  EXPECT_TRUE(reply.body.ends_with(R"("page":2,"per_page":40,"total":95,"pages":3})"))
      << reply.body;
  EXPECT_EQ(reply.header("Link"),
            "<?per_page=40&page=1>; rel=\"first\", <?per_page=40&page=1>; rel=\"prev\", "
            "<?per_page=40&page=3>; rel=\"next\", <?per_page=40&page=3>; rel=\"last\"");
  EXPECT_EQ(client_.get("/numbered?page=3&per_page=40").header("Link")->find("next"),
            std::string_view::npos);
}

TEST_F(Pages, are_bounded) {
  for (const char* const query : {"page=0", "page=-1", "page=1000001", "per_page=0", "per_page=101",
                                  "page=x", "page=99999999999999999999", "page=1&page=2"}) {
    EXPECT_EQ(client_.get("/numbered?" + std::string(query)).status, 400) << query;
  }
  EXPECT_EQ(client_.get("/numbered?page=1000000&per_page=100").status, 200);
  EXPECT_EQ(offset_of(PageQuery<20, 1000000>{.page = 1000000, .per_page = 1000000}),
            999'999'000'000);
}

TEST_F(Pages, keep_what_else_is_asked_for_and_nothing_breaks_out) {
  const TestResponse reply = client_.get("/search?q=a%3E%22%2C%0D%0AX%3A1+%C3%A4&page=2");
  EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(reply.header("Link")->substr(0, 55),
            "<?q=a%3E%22%2C%0D%0AX%3A1%20%C3%A4&page=1>; rel=\"first\"");
}

TEST_F(Pages, go_on_by_cursors_to_the_end_without_gaps) {
  std::string address = "/cursor?per_page=5";
  int next_id = 0;
  for (int turn = 0; turn < 19; ++turn) {
    const TestResponse reply = client_.get(address);
    ASSERT_EQ(reply.status, 200) << reply.body;
    const auto body = json::read<CursorBody<Item>>(reply.body);
    ASSERT_TRUE(body) << reply.body;
    for (const Item& item : body->items) {
      EXPECT_EQ(item.id, next_id++);
    }
    if (!body->next) {
      break;
    }
    address = "/cursor?per_page=5&after=" + body->next->text();
    EXPECT_NE(reply.header("Link")->find(body->next->text()), std::string_view::npos);
  }
  EXPECT_EQ(next_id, kTotal);
}

TEST_F(Pages, take_no_cursor_that_was_not_made_here) {
  const CursorSigner ours(std::string(32, 'k'));
  const CursorSigner others(std::string(32, 'o'));
  const std::string good = ours.seal(Place{3}).text();
  EXPECT_EQ(client_.get("/cursor?after=" + good).status, 200);
  EXPECT_EQ(client_.get("/cursor?after=" + others.seal(Place{3}).text()).status, 400);
  EXPECT_EQ(client_.get("/cursor?after=" + ours.seal(OtherPlace{3}).text()).status, 400);
  EXPECT_EQ(client_.get("/cursor?after=" + std::string(5000, 'a')).status, 400);
  for (std::size_t i = 0; i < good.size(); ++i) {
    EXPECT_NE(client_.get("/cursor?after=x" + good.substr(0, i)).status, 200) << i;
    std::string bent = good;
    bent[i] = bent[i] == 'A' ? 'B' : 'A';
    // The last character of unpadded base64 has unused bits; if they are set, the cursor is
    // rejected, too.
    EXPECT_EQ(client_.get("/cursor?after=" + bent).status, 400) << i;
  }
  EXPECT_THROW(CursorSigner("short"), Failure);
}

TEST_F(Pages, stand_in_the_document) {
  const App app = make_app();
  for (const Operation& operation : app.operations()) {
    EXPECT_NE(operation.find(Operation::In::query, "per_page"), nullptr) << operation.pattern;
    const Operation::Response* const response = operation.find_response(200);
    ASSERT_NE(response, nullptr);
    EXPECT_EQ(response->fields, std::vector<std::string>{"Link"});
  }
}

}  // namespace
}  // namespace eider
