#include "eider/web/views/app/views.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "eider/testkit/log_lines.h"
#include "eider/testkit/temp_directory.h"
#include "eider/testkit/test_client.h"
#include "eider/web/middleware/test_asked.h"
#include "item.html.h"
#include "shop.html.h"

namespace eider {
namespace {

using namespace std::chrono_literals;

const shop::Item kTea = {"Tea <1>", 2, 1, {}, {}, {}};
constexpr std::string_view kNames = "{# page shop::Item #}\n<p>{{ name }}</p>";

/// A directory of templates that a developer edits.
class Pages {
 public:
  void save(std::string_view name, std::string_view text) {
    const std::filesystem::path file = directory_.path() / name;
    std::ofstream(file, std::ios::binary) << text;
    // Two saves within one tick of the file system's clock would have the same time.
    std::filesystem::last_write_time(file,
                                     std::filesystem::file_time_type::clock::now() + ++saves_ * 1s);
  }
  [[nodiscard]] std::string path() const { return directory_.path().string(); }

 private:
  TempDirectory directory_;
  int saves_ = 0;
};

App app_of(ViewsOptions options) {
  App app;
  add_views(app, std::move(options));
  app.get("/item", [](State<Views> views) { return views->page(kTea); });
  app.get("/missing", [](State<Views> views) { return views->fragment(kTea, "rows"); });
  app.get("/shop", [](State<Views> views) { return views->page(shop::ShopPage()); });
  app.get("/rows", [](State<Views> views) { return views->fragment(shop::ShopPage(), "rows"); });
  app.get("/gone", [](State<Views> views) { return ResponseOf(views->page(kTea)).status(410); });
  return app;
}

ViewsOptions development(const Pages& pages) {
  return {.directory = pages.path(), .development = true};
}

TEST(Views, APageIsHtml) {
  TestClient client(app_of({}));
  const TestResponse reply = client.get("/item");
  EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(reply.header("Content-Type"), "text/html; charset=utf-8");
  EXPECT_EQ(reply.body, "Tea &lt;1&gt;: 2");
  EXPECT_EQ(client.get("/gone").status, 410);
}

TEST(Views, AFragmentIsAPartOfThePage) {
  TestClient client(app_of({}));
  const std::string rows = client.get("/rows").body;
  EXPECT_NE(rows.find("<li>nothing</li>"), rows.npos);
  EXPECT_EQ(rows.find("<html"), rows.npos);
  EXPECT_NE(client.get("/shop").body.find(rows), rows.npos);
  EXPECT_EQ(client.get("/missing").status, 500);
}

TEST(Views, InProductionNothingIsReadNorReloaded) {
  TestClient client(app_of({.directory = "/nowhere"}));
  EXPECT_EQ(client.get("/item").body, "Tea &lt;1&gt;: 2");
  EXPECT_EQ(client.get("/shop").body.find("_eider"), std::string::npos);
  EXPECT_EQ(client.get("/_eider/reload").status, 404);
  EXPECT_EQ(client.get("/_eider/reload.js").status, 404);
}

TEST(Views, InDevelopmentASavedTemplateIsShownAtOnce) {
  Pages pages;
  TestClient client(app_of(development(pages)));
  pages.save("item.html", kNames);
  EXPECT_TRUE(client.get("/item").body.starts_with("<p>Tea &lt;1&gt;</p><script src="));
  pages.save("item.html", "{# page shop::Item #}\n<body><b>{{ price }}</b></body>");
  const std::string page = client.get("/item").body;
  EXPECT_TRUE(page.starts_with("<body><b>2</b><script src=\"/_eider/reload.js\"")) << page;
  EXPECT_TRUE(page.ends_with("</script></body>")) << page;
}

/// Returns a request of a browser on this machine.
testing::Asked local(std::vector<Field> fields = {}) {
  return {.path = "/item",
          .fields = std::move(fields),
          .address = "127.0.0.1",
          .authority = "localhost:8080"};
}

TEST(Views, InDevelopmentAWrongTemplateIsAPageThatSaysSo) {
  Pages pages;
  const App app = app_of(development(pages));
  testing::AskedApp client(app);
  EXPECT_EQ(client.ask(local()).status, 500);
  EXPECT_NE(client.ask(local()).body.find("item.html cannot be read"), std::string::npos);
  pages.save("item.html", "{# page shop::Item #}\n<p>{{ nam }}</p>");
  const testing::Answered reply = client.ask(local());
  EXPECT_EQ(reply.status, 500);
  EXPECT_TRUE(reply.body.starts_with("<!doctype html>")) << reply.body;
  EXPECT_EQ(reply.header("Cache-Control"), "no-store");
  EXPECT_NE(reply.body.find("<title>item.html</title>"), std::string::npos) << reply.body;
  EXPECT_NE(reply.body.find("/_eider/reload.js"), std::string::npos);
  EXPECT_NE(reply.body.find("item.html:2:7: unknown member nam in Item; did you mean name?\n  "
                            "&lt;p&gt;{{ nam }}&lt;/p&gt;\n        ^"),
            std::string::npos)
      << reply.body;
  pages.save("item.html", "{# page shop::Maker #}\n");
  EXPECT_NE(
      client.ask(local()).body.find("this page needs a shop::Maker, but the handler passes a Item"),
      std::string::npos);
}

TEST(Views, WhatIsWrongWithATemplateIsShownOnThisMachineAlone) {
  Pages pages;
  pages.save("item.html", "{# page shop::Item #}\n<p>{{ secret_word }}</p>");
  App app = app_of(development(pages));
  const auto lines = std::make_shared<LogLines>();
  app.log_to(lines);
  testing::AskedApp client(app);
  testing::Asked from_elsewhere = local();
  from_elsewhere.address = "192.0.2.7";
  testing::Asked by_another_name = local();
  by_another_name.authority = "notes.example";
  for (const testing::Asked& asked :
       {from_elsewhere, by_another_name, local({{"X-Forwarded-For", "127.0.0.1"}})}) {
    const testing::Answered answered = client.ask(asked);
    EXPECT_EQ(answered.status, 500);
    EXPECT_EQ(answered.body.find("secret_word"), std::string::npos) << answered.body;
    EXPECT_EQ(answered.body.find("item.html"), std::string::npos) << answered.body;
  }
  ASSERT_EQ(lines->lines.size(), 3U);
  EXPECT_NE(lines->lines[0].find("item.html:2:7: unknown member secret_word"), std::string::npos)
      << lines->lines[0];
  EXPECT_NE(client.ask(local()).body.find("secret_word"), std::string::npos);
}

TEST(Views, InDevelopmentFiltersAreCalledByName) {
  Pages pages;
  pages.save("item.html", "{# page shop::Item #}\n{{ name | shout }}");
  TestClient without(app_of(development(pages)));
  EXPECT_EQ(without.get("/item").status, 500);
  ViewsOptions options = development(pages);
  options.filters.add("shout", shop::shout);
  TestClient with(app_of(std::move(options)));
  EXPECT_TRUE(with.get("/item").body.starts_with("Tea &lt;1&gt;!"));
}

TEST(Views, ASavedTemplateIsToldToTheBrowser) {
  Pages pages;
  pages.save("item.html", kNames);
  TestClient client(app_of(development(pages)));
  const std::string page = client.get("/item").body;
  TestEvents events = client.events("/_eider/reload");
  const auto first = events.next();
  ASSERT_TRUE(first);
  EXPECT_NE(page.find("data-version=\"" + first->data + "\""), page.npos);
  EXPECT_FALSE(events.next(5s).has_value() && events.next(5s).has_value());
  pages.save("item.html", "{# page shop::Item #}\n");
  const auto second = events.next(300ms);
  ASSERT_TRUE(second);
  EXPECT_NE(second->data, first->data);
  pages.save("new.html", "");
  EXPECT_TRUE(events.next(300ms));
  EXPECT_NE(client.get("/_eider/reload.js").body.find("location.reload()"), std::string::npos);
}

}  // namespace
}  // namespace eider
