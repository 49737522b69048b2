#include "eider/web/swagger/swagger.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>

#include "eider/eider.h"
#include "eider/testkit/test_client.h"

namespace eider {
namespace {

/// Returns the number of links of the page, all of which must work.
std::size_t links_answered(TestClient& client, const std::string& page) {
  const std::string body = client.get(page).body;
  std::size_t count = 0;
  for (const std::string_view mark : {"href=\"", "src=\""}) {
    for (std::size_t at = body.find(mark); at != body.npos; at = body.find(mark, at)) {
      at += mark.size();
      const std::string link = body.substr(at, body.find('"', at) - at);
      EXPECT_EQ(client.get(link).status, 200) << link;
      ++count;
    }
  }
  return count;
}

TEST(Swagger, page_leads_to_what_it_needs_wherever_it_stands) {
  App app;
  serve_openapi(app);
  serve_swagger(app);
  Routes group = app.group("/admin");
  serve_swagger(group);
  Routes whole = app.group("/all");
  serve_swagger(whole, {.path = ""});
  Routes slash = app.group("/slash");
  serve_swagger(slash, {.path = "/"});
  App inner;
  serve_swagger(inner);
  app.mount("/inner", std::move(inner));
  TestClient client(app);
  for (const char* const page : {"/docs", "/admin/docs", "/all", "/slash/", "/inner/docs"}) {
    EXPECT_EQ(links_answered(client, page), 4U) << page;
  }
}

TEST(Swagger, page_asks_for_the_document_by_its_whole_path) {
  App app;
  Routes group = app.group("/admin");
  serve_swagger(group, {.document = "/admin/api.json?a=1&b=\"2\""});
  TestClient client(app);
  const TestResponse page = client.get("/admin/docs");
  EXPECT_TRUE(page.body.contains("data-document=\"/admin/api.json?a=1&amp;b=&quot;2&quot;\""))
      << page.body;
}

}  // namespace
}  // namespace eider
