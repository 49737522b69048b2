// Routes::mount, and redirects of groups and mounts for their own path, and errors below it.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "eider/app/app.h"
#include "eider/app/handlers/operation.h"
#include "eider/app/urls.h"
#include "eider/testkit/log_lines.h"
#include "eider/testkit/test_client.h"
#include "tests/support/guards_app.h"

namespace eider {
namespace {

using MountSteps = std::vector<std::string>;

struct MountTitle {
  std::string text;
};
struct MountShared {
  std::string text;
};
struct MountVisitor {
  std::string name;
};

MountSteps mount_steps;

std::string show_mount_user(int id, State<MountTitle> title) {
  return title->text + " " + std::to_string(id);
}

/// An app with everything that an app can have.
App mount_admin_app(std::string title = "admin") {
  App app;
  app.state(MountTitle{title});
  app.singleton([](State<MountTitle> its) { return its->text.size(); });
  app.use(Hook{.on_request = {}, .on_response = [title](const Request&, Response& response) {
                 response.add_header("X-App", title);
               }});
  app.provide([](State<MountTitle> its) { return MountVisitor{"visitor of " + its->text}; });
  app.on_start("start of " + title,
               [](State<MountTitle> its) { mount_steps.push_back("start " + its->text); });
  app.observe([title](const ResponseEvent& record) {
    mount_steps.push_back(title + " saw " + std::string(record.request.path()));
  });
  app.body_bytes_max(4);
  app.get("", [](State<MountTitle> its) { return its->text; });
  app.get("/users/{id}", show_mount_user);
  app.get("/visitor", [](Extension<MountVisitor> visitor) { return visitor->name; });
  app.get("/shared", [](State<MountShared> shared) { return shared->text; });
  app.get("/size", [](State<std::size_t> size) { return *size; });
  app.post("/text", [](Body body) { return body.size(); });
  app.group("/deep").get("/er", [] { return "deeper"; });
  return app;
}

App mount_outer_app() {
  mount_steps.clear();
  App app;
  app.state(MountTitle{"outer"});
  app.state(MountShared{"shared"});
  app.get("/", [](State<MountTitle> title) { return title->text; });
  app.post("/text", [](Body body) { return body.size(); });
  app.mount("/admin", mount_admin_app());
  return app;
}

std::string mount_app_of(const TestResponse& reply) {
  return std::string(reply.header("X-App").value_or("none"));
}

TEST(Mount, puts_an_app_below_a_prefix_with_its_own_states_and_hooks) {
  const App app = mount_outer_app();
  TestClient client(app);
  EXPECT_EQ(client.get("/").body, "outer");
  EXPECT_EQ(mount_app_of(client.get("/")), "none");
  EXPECT_EQ(client.get("/admin").body, "admin");
  EXPECT_EQ(mount_app_of(client.get("/admin")), "admin");
  EXPECT_EQ(client.get("/admin/users/7").body, "admin 7");
  EXPECT_EQ(client.get("/admin/visitor").body, "visitor of admin");
  EXPECT_EQ(client.get("/admin/size").body, "5");
  EXPECT_EQ(client.get("/admin/deep/er").body, "deeper");
  EXPECT_EQ(client.get("/admin/shared").body, "shared");
}

TEST(Mount, lets_an_app_answer_what_no_route_takes_below_its_prefix) {
  const App app = mount_outer_app();
  TestClient client(app);
  EXPECT_EQ(mount_app_of(client.get("/admin/nowhere")), "admin");
  EXPECT_EQ(client.get("/admin/nowhere").status, 404);
  EXPECT_EQ(client.del("/admin/users/7").status, 405);
  EXPECT_EQ(mount_app_of(client.del("/admin/users/7")), "admin");
  EXPECT_EQ(mount_app_of(client.get("/administrators")), "none");
  EXPECT_EQ(mount_app_of(client.get("/nowhere")), "none");
}

TEST(Mount, keeps_what_an_app_does_beside_requests_and_its_limit_of_bodies) {
  const App app = mount_outer_app();
  {
    TestClient client(app);
    EXPECT_EQ(mount_steps, MountSteps{"start admin"});
    mount_steps.clear();
    EXPECT_EQ(client.post("/admin/text", json::Value("abcd")).status, 413);
    EXPECT_EQ(client.post("/text", json::Value("abcd")).status, 200);
    (void)client.get("/admin/nowhere");
  }
  EXPECT_EQ(mount_steps, (MountSteps{"admin saw /admin/text", "admin saw /admin/nowhere"}));
}

TEST(Mount, tells_of_its_routes_as_of_others) {
  const App app = mount_outer_app();
  const auto operations = app.operations();
  EXPECT_TRUE(std::ranges::any_of(operations, [](const Operation& operation) {
    return operation.pattern == "/admin/users/{id}";
  }));
  EXPECT_TRUE(app.list_routes().contains("GET /admin/deep/er")) << app.list_routes();
  EXPECT_EQ(app.urls().of(&show_mount_user, 7), "/admin/users/7");
}

TEST(Mount, goes_by_the_guards_and_providers_around) {
  App app;
  app.state(MountShared{"shared"});
  Routes around = app.mount("/admin", mount_admin_app());
  around.guard(
      [](Header<"Key", std::optional<std::string>> key, State<MountShared>) -> Result<void> {
        return *key ? Result<void>() : fail(Error(401, "Who are you?"));
      });
  TestClient client(app);
  EXPECT_EQ(client.get("/admin/users/7").status, 401);
  const TestResponse reply = client.send({.target = "/admin/users/7", .headers = {{"Key", "1"}}});
  EXPECT_EQ(reply.body, "admin 7");
}

// A guard uses the states of its own app, even if the inner app has the same types.
TEST(Mount, gives_each_guard_the_states_of_its_own_app) {
  App app;
  app.state(MountTitle{"outer"});
  app.state(MountShared{"shared"});
  app.guard([](State<MountTitle> title) { return MountShared{title->text}; });
  App admin = mount_admin_app();
  admin.get("/who", [](Extension<MountShared> shared, State<MountTitle> title) {
    return shared->text + " " + title->text;
  });
  app.mount("/admin", std::move(admin));
  EXPECT_EQ(TestClient(app).get("/admin/who").body, "outer admin");
}

TEST(Mount, may_be_within_a_mounted_app_and_of_the_same_app_twice) {
  App middle = mount_admin_app("middle");
  middle.mount("/inner", mount_admin_app("inner"));
  App app;
  app.state(MountShared{"shared"});
  app.mount("/a", std::move(middle));
  app.mount("/b", mount_admin_app("b"));
  TestClient client(app);
  EXPECT_EQ(client.get("/a/users/1").body, "middle 1");
  EXPECT_EQ(client.get("/a/inner/users/1").body, "inner 1");
  EXPECT_EQ(client.get("/b/users/1").body, "b 1");
  EXPECT_EQ(client.get("/a/inner/shared").body, "shared");
  const TestResponse unknown = client.get("/a/inner/nowhere");
  EXPECT_EQ(
      std::ranges::count(unknown.headers, "X-App", &std::pair<std::string, std::string>::first),
      2);  // as for its routes: the outer app's hooks run around it
  EXPECT_EQ(mount_app_of(client.get("/a/nowhere")), "middle");
}

TEST(Mount, lets_a_test_put_another_state_in_the_place_of_a_mounted_apps) {
  App app = mount_outer_app();
  app.override_state(MountTitle{"fake"});
  TestClient client(app);
  EXPECT_EQ(client.get("/").body, "fake");
  EXPECT_EQ(client.get("/admin").body, "fake");
  EXPECT_EQ(client.get("/admin/size").body, "4");
}

TEST(Mount, tells_at_start_what_a_mounted_app_lacks) {
  App app;
  app.mount("/admin", mount_admin_app());
  EXPECT_TRUE(start_error_of(app).contains("GET /admin/shared needs State<"))
      << start_error_of(app);
}

TEST(Mount, takes_hosts_and_rewrites_along) {
  App admin;
  admin.get("/new", [] { return "new"; });
  admin.host("api.example.org").get("/new", [] { return "of the host"; });
  admin.use(Rewrite{.function = [](RequestHead& head) {
    head.path = head.path == "/admin/old" ? "/admin/new" : "/taken";
  }});
  App app;
  app.get("/old", [] { return "old"; });
  app.mount("/admin", std::move(admin));
  TestClient client(app);
  EXPECT_EQ(client.get("/admin/old").body, "new");
  EXPECT_EQ(client.get("/old").body, "old");
  EXPECT_TRUE(client.raw("GET /admin/old HTTP/1.1\r\nHost: api.example.org\r\n\r\n")
                  .contains("of the host"));
}

// Otherwise a client could avoid the records of an app with another spelling of the path.
TEST(Mount, compares_paths_as_the_router_does) {
  App admin = mount_admin_app();
  admin.use(Rewrite{.function = [](RequestHead& head) {
    head.path = head.path == "/%61dmin/old" ? "/admin/users/9" : head.path;
  }});
  App app;
  app.state(MountShared{"shared"});
  app.mount("/admin", std::move(admin));
  mount_steps.clear();
  TestClient client(app);
  mount_steps.clear();
  EXPECT_EQ(client.get("/%61dmin/users/7").body, "admin 7");
  EXPECT_EQ(client.get("/%61dmin/old").body, "admin 9");
  EXPECT_EQ(mount_app_of(client.get("/%61dmin/no")), "admin");
  EXPECT_EQ(mount_app_of(client.get("/admin%2Fno")), "none");
  EXPECT_EQ(mount_app_of(client.get("/%61dministrators")), "none");
  EXPECT_EQ(mount_steps, (MountSteps{"admin saw /%61dmin/users/7", "admin saw /admin/users/9",
                                     "admin saw /%61dmin/no"}));
}

TEST(Mount, tells_observers_and_rewrites_of_its_own_host_and_within_mounted_apps) {
  App middle = mount_admin_app("middle");
  middle.mount("/inner", mount_admin_app("inner"));
  App admin = mount_admin_app();
  admin.use(Rewrite{.function = [](RequestHead& head) { head.path = "/admin/users/9"; }});
  App app;
  app.state(MountShared{"shared"});
  app.mount("/a", std::move(middle));
  app.host("admin.example.org").mount("/admin", std::move(admin));
  app.get("/admin/users/7", [] { return "another's"; });
  TestClient client(app);
  mount_steps.clear();
  EXPECT_EQ(client.get("/admin/users/7").body, "another's");
  EXPECT_EQ(mount_steps, MountSteps{});
  EXPECT_TRUE(client.raw("GET /admin/users/7 HTTP/1.1\r\nHost: admin.example.org\r\n\r\n")
                  .contains("admin 9"));
  (void)client.get("/a/inner/users/1");
  EXPECT_EQ(mount_steps, (MountSteps{"admin saw /admin/users/9", "middle saw /a/inner/users/1",
                                     "inner saw /a/inner/users/1"}));
}

TEST(Mount, is_refused_where_either_app_is_served_already) {
  App app;
  app.get("/", [] { return 1; });
  App other;
  other.get("/", [] { return 2; });
  const TestClient client(other);
  EXPECT_THROW(app.mount("/other", std::move(other)), Failure);
  const TestClient outer(app);
  EXPECT_THROW(app.mount("/late", App()), Failure);
}

/// Marks each response with a header.
Hook marking(std::string text) {
  Hook hook;
  hook.on_response = [text = std::move(text)](const Request&, Response& response) {
    response.add_header("X-Mark", text);
  };
  return hook;
}

std::string marks_of(const TestResponse& reply) {
  std::string all;
  for (const auto& [name, value] : reply.headers) {
    all += name == "X-Mark" ? value + " " : "";
  }
  return all;
}

TEST(Edges, of_a_group_redirect_to_its_own_page) {
  App app;
  Routes shop = app.group("/shop");
  shop.get("/", [] { return "shop"; });
  shop.group("/books").get("/{path...}", [](std::string path) { return path; });
  TestClient client(app);
  const TestResponse reply = client.get("/shop?page=2&x=%2F");
  EXPECT_EQ(reply.status, 301);
  EXPECT_EQ(reply.header("Location"), "./shop/?page=2&x=%2F");
  EXPECT_EQ(client.get("/shop/books").header("Location"), "./books/");
  EXPECT_EQ(client.get("/shop/").body, "shop");
  EXPECT_EQ(client.send({.method = Method::head, .target = "/shop"}).status, 301);
  EXPECT_EQ(client.get("/shopping").status, 404);
}

TEST(Edges, of_a_mounted_app_redirect_too) {
  App admin;
  admin.get("/", [] { return "admin"; });
  admin.post("/", [] { return "posted"; });
  App app;
  app.group("/deep").mount("/admin", std::move(admin));
  TestClient client(app);
  EXPECT_EQ(client.get("/deep/admin").header("Location"), "./admin/");
  const TestResponse posted = client.send({.method = Method::post, .target = "/deep/admin"});
  EXPECT_EQ(posted.status, 308) << "method and body stay";
  EXPECT_EQ(posted.header("Location"), "./admin/");
}

TEST(Edges, stand_back_for_routes_of_that_path) {
  App app;
  app.group("/shop").get("/", [] { return "shop"; });
  app.get("/shop", [] { return "mine"; });
  app.group("/page").get("/", [] { return "page"; });
  app.get("/{slug}", [](std::string slug) { return "slug " + slug; });
  TestClient client(app);
  EXPECT_EQ(client.get("/shop").body, "mine");
  EXPECT_EQ(client.get("/page").body, "slug page");
}

TEST(Edges, of_directories_go_ahead_of_what_takes_all_paths) {
  App app;
  const auto show = [](std::string path) { return "[" + path + "]"; };
  app.get("/{path...}", show).directory();
  app.get("/docs/{path...}", show).directory();
  app.get("/other/{path...}", show);
  TestClient client(app);
  EXPECT_EQ(client.get("/docs").header("Location"), "./docs/");
  EXPECT_EQ(client.get("/docs/").body, "[]");
  EXPECT_EQ(client.get("/other").body, "[other]") << "it is not a directory";
}

TEST(Edges, have_the_hooks_and_guards_of_their_group) {
  App app;
  Routes group = app.group("/in");
  group.use(marking("in"));
  group.guard([](Header<"Key", std::optional<std::string>> key) -> Result<void> {
    return *key ? Result<void>() : fail(Error(401, "Authentication is required."));
  });
  group.get("/", [] { return "in"; });
  TestClient client(app);
  EXPECT_EQ(client.get("/in").status, 401);
  const TestResponse reply = client.send({.target = "/in", .headers = {{"Key", "1"}}});
  EXPECT_EQ(reply.status, 301);
  EXPECT_EQ(marks_of(reply), "in ");
}

TEST(Edges, lead_nowhere_again_if_a_rewrite_removes_the_slash) {
  App app;
  app.use(Rewrite{.function = [](RequestHead& head) { head.path = "/shop"; }});
  app.group("/shop").get("/", [] { return "shop"; });
  EXPECT_EQ(TestClient(app).get("/shop/").status, 404);
}

App app_with_groups() {
  App app;
  app.use(marking("app"));
  Routes api = app.group("/api");
  api.use(marking("api"));
  api.get("/x", [] { return "x"; });
  Routes v1 = api.group("/v1");
  v1.use(marking("v1"));
  v1.get("/y", [] { return "y"; });
  Routes plain = app.group("/");
  plain.use(marking("plain"));
  plain.get("/z", [] { return "z"; });
  return app;
}

TEST(Groups, have_their_hooks_on_errors_below_their_prefix) {
  const App app = app_with_groups();
  TestClient client(app);
  const auto expect = [&](const char* target, int status, const char* marks) {
    const TestResponse reply = client.get(target);
    EXPECT_EQ(reply.status, status) << target;
    EXPECT_EQ(marks_of(reply), marks) << target;
  };
  expect("/api/none", 404, "api app ");
  expect("/api", 404, "api app ");
  expect("/api/", 404, "api app ");
  expect("/api/%", 400, "api app ");
  expect("/api/%zz/a", 400, "api app ");
  expect("/a%70i/none", 404, "api app ");
  expect("/api/v1/none", 404, "v1 api app ");
  expect("/api/v1/%", 400, "v1 api app ");
  expect("/apis", 404, "app ");
  expect("/api%2Fnone", 404, "app ");
  expect("/none", 404, "app ");
  expect("/%", 400, "app ");
}

TEST(Groups, have_their_hooks_on_options_and_other_methods) {
  const App app = app_with_groups();
  TestClient client(app);
  for (const char* target : {"/api/none", "/api/x"}) {
    EXPECT_EQ(marks_of(client.send({.method = Method::options, .target = target})), "api app ")
        << target;
    EXPECT_EQ(marks_of(client.del(target)), "api app ") << target;
  }
}

TEST(Groups, of_a_host_have_their_hooks_on_its_errors) {
  App app;
  Routes host = app.host("api.example.org");
  host.use(marking("host"));
  host.get("/x", [] { return "x"; });
  TestClient client(app);
  for (const std::string path : {"/none", "/%"}) {
    const std::string request = "GET " + path + " HTTP/1.1\r\nHost: api.example.org\r\n\r\n";
    EXPECT_TRUE(client.raw(request).contains("X-Mark: host\r\n")) << path;
  }
  EXPECT_EQ(marks_of(client.get("/none")), "");
}

TEST(Groups, of_one_prefix_let_the_one_with_hooks_answer) {
  App app;
  app.group("/api").get("/x", [] { return "x"; });
  app.group("/api").use(marking("api"));
  EXPECT_EQ(marks_of(TestClient(app).get("/api/none")), "api ");
}

struct EdgeSearch {
  std::optional<std::string> q;
};
struct EdgeFound {
  std::string q;
};

TEST(UnknownQuery, is_ignored_by_pages_and_rejected_by_json) {
  App app;
  app.get("/page", [](Query<EdgeSearch>) { return Response::html("page"); });
  app.get("/text", [](Query<EdgeSearch> search) { return search->q.value_or("-"); });
  app.get("/go", [](Query<EdgeSearch>) { return Redirect("/page"); });
  app.get("/json", [](Query<EdgeSearch>) { return EdgeFound(); });
  app.get("/list", [](Query<EdgeSearch>) -> Task<Result<std::vector<EdgeFound>>> {
    co_return std::vector<EdgeFound>();
  });
  app.post("/nothing", [](Query<EdgeSearch>) {});
  TestClient client(app);
  for (const char* query : {"?fbclid=x", "?utm_source=a&utm_source=b", "?q=a&gclid=%", "?=&&a"}) {
    EXPECT_EQ(client.get("/page" + std::string(query)).status, 200) << query;
    EXPECT_EQ(client.get("/text" + std::string(query)).status, 200) << query;
    EXPECT_EQ(client.get("/go" + std::string(query)).status, 303) << query;
    EXPECT_EQ(client.get("/json" + std::string(query)).status, 400) << query;
    EXPECT_EQ(client.get("/list" + std::string(query)).status, 400) << query;
  }
  EXPECT_EQ(client.get("/text?q=a&x=b").body, "a");
  EXPECT_EQ(client.get("/page?q=a&q=b").status, 400) << "a known one is still checked";
  EXPECT_EQ(client.get("/page?q=%").status, 400);
  EXPECT_EQ(client.send({.method = Method::post, .target = "/nothing?x=1"}).status, 400);
}

TEST(UnknownQuery, is_what_the_route_or_else_its_group_says) {
  App app;
  const auto json = [](Query<EdgeSearch>) { return EdgeFound(); };
  const auto text = [](Query<EdgeSearch>) { return "text"; };
  Routes lenient = app.group("/lenient");
  lenient.unknown_query(UnknownQuery::ignore);
  lenient.get("/json", json);
  lenient.group("/in").get("/json", json);
  lenient.get("/strict", json).unknown_query(UnknownQuery::reject);
  app.group("/strict").unknown_query(UnknownQuery::reject).get("/text", text);
  TestClient client(app);
  EXPECT_EQ(client.get("/lenient/json?x=1").status, 200);
  EXPECT_EQ(client.get("/lenient/in/json?x=1").status, 200);
  EXPECT_EQ(client.get("/lenient/strict?x=1").status, 400);
  EXPECT_EQ(client.get("/strict/text?x=1").status, 400);
}

TEST(Mounts, write_to_the_log_of_the_outer_app) {
  const auto log = std::make_shared<LogLines>();
  App innermost;
  const auto write = innermost.log_writer();
  App inner;
  inner.mount("/deep", std::move(innermost));
  App outer;
  outer.log_to(log);
  outer.mount("/inner", std::move(inner));
  write(LogLevel::info, "a line");
  EXPECT_EQ(log->lines, MountSteps{"a line"});
}

}  // namespace
}  // namespace eider
