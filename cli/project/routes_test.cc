#include "cli/project/routes.h"

#include <gtest/gtest.h>

#include "cli/json_line.h"
#include "eider/app/app.h"

namespace eider {
namespace {

TEST(Routes, are_read_as_an_app_lists_them) {
  App app;
  app.use(Rewrite{.function = [](RequestHead&) {}, .name = "changes"});
  app.use(Hook{.on_request = [](Request&, Response&) { return true; }, .name = "looks"});
  app.get("/", [] { return "x"; }).body_bytes_max(4096);
  app.host("api.example.org").post("/notes/{id}", [](int) { return "x"; }).body_bytes_max(SIZE_MAX);
  const auto listed = read_routes(app.list_routes());
  ASSERT_TRUE(listed) << listed.error();
  std::string json = json_line(*listed);
  for (const ListedRoute& route : listed->routes) {
    EXPECT_TRUE(route.where.starts_with("routes_test.cc:")) << route.where;
    json.replace(json.find(route.where), route.where.size(), "here");
  }
  EXPECT_EQ(json,
            R"({"rewrites":["changes"],"routes":[{"method":"GET","path":"/","middleware":["looks",)"
            R"("handler"],"body_bytes_max":4096,"where":"here"},{"method":"POST","path":)"
            R"("api.example.org/notes/{id}","middleware":["looks","handler"],"where":"here"}]})"
            "\n");
}

TEST(Routes, are_none_where_a_line_is_something_else) {
  EXPECT_EQ(read_routes("").error(), "");
  EXPECT_EQ(read_routes("before routing: changes\n").error(), "");
  for (const char* line : {"--routes", "GET /  handler  1 MiB", "GET  handler  1 MiB  a.cc:1",
                           "GET /  handler  1 GB  a.cc:1", "GET /  handler  MiB  a.cc:1"}) {
    const std::string good = "GET /  handler  1 MiB  a.cc:1\n";
    EXPECT_EQ(read_routes(good + line + "\n" + good).error(), line);
  }
}

}  // namespace
}  // namespace eider
