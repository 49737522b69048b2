// A form whose page and submission are one handler.
#include <gtest/gtest.h>

#include <algorithm>

#include "eider/testkit/test_client.h"
#include "eider/web/forms/forms.h"
#include "eider/web/forms/test_pages.h"
#include "eider/web/middleware/csrf.h"
#include "whole.html.h"

namespace eider {
namespace {

using forms_test::Note;
using forms_test::WholePage;

constexpr std::string_view kWellTyped =
    "title=Tea&body=&email=&count=4&priority=&weight=2&colour=red&terms=on&sizes=&due=&"
    "new_password=&address.street=Main+1&address.city=&from=web";

FormResponse show_or_take(BoundForm<Note> form, State<Views> views) {
  if (form.is_valid()) {
    return Redirect("/taken");
  }
  EXPECT_EQ(form.is_valid(form->title), form.is_sent() && *form->title == "Tea");
  Note note{};
  note.title = "Old tea";
  return form.render_again(views->page(WholePage{form.view_of(note)}));
}

TEST(FormsOfOneHandler, are_shown_by_get_and_taken_by_post) {
  App app;
  app.use(csrf({.is_secure = false}));
  add_views(app, {});
  app.get("/note", show_or_take);
  app.post("/note", show_or_take);
  TestClient client(app, {.keeps_cookies = true});
  const TestResponse form = client.get("/note", {{"Accept", "application/json"}});
  EXPECT_EQ(form.status, 200);
  EXPECT_TRUE(form.body.contains(R"(value="Old tea")")) << form.body;
  EXPECT_FALSE(form.body.contains("aria-invalid")) << form.body;
  const TestResponse again = client.submit(form, {{"title", ""}});
  EXPECT_EQ(again.status, 422);
  EXPECT_TRUE(again.body.contains("aria-invalid"));
  EXPECT_FALSE(again.body.contains("Old tea"));
  EXPECT_EQ(client.head("/note").status, 200);
  const TestResponse taken = client.submit(form, {{"title", "Tea"},
                                                  {"count", "4"},
                                                  {"colour", "red"},
                                                  {"terms", "true"},
                                                  {"address.street", "Main 1"}});
  EXPECT_EQ(taken.header("Location"), "/taken") << taken.body;
}

TEST(FormsOfOneHandler, take_nothing_that_a_get_brings_along) {
  App app;
  add_views(app, {});
  app.get("/note", show_or_take);
  const TestResponse reply =
      TestClient(app).send({.target = "/note",
                            .headers = {{"Content-Type", "application/x-www-form-urlencoded"}},
                            .body = std::string(kWellTyped)});
  EXPECT_EQ(reply.status, 200);
  EXPECT_TRUE(reply.body.contains(R"(value="Old tea")")) << reply.body;
}

TEST(FormsOfOneHandler, take_content_by_the_document_of_the_post_alone) {
  App app;
  add_views(app, {});
  app.get("/note", show_or_take);
  app.post("/note", show_or_take);
  for (const Operation& operation : app.operations()) {
    const bool reads = operation.only_reads();
    EXPECT_EQ(operation.contents.empty(), reads);
    EXPECT_EQ(std::ranges::count(operation.responses, 422, &Operation::Response::status),
              reads ? 0 : 1);
    EXPECT_EQ(std::ranges::count(operation.responses, 200, &Operation::Response::status),
              reads ? 1 : 0);
  }
}

}  // namespace
}  // namespace eider
