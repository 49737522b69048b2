// The tracker without a socket: each response of its API is compared with its OpenAPI document.
#include <eider/eider.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "eider/testkit/log_lines.h"
#include "eider/testkit/temp_directory.h"
#include "eider/testkit/test_client.h"
#include "examples/tracker/tracker.h"

namespace tracker {
namespace {

using namespace eider;
using namespace std::chrono_literals;

constexpr const char* kPassword = "correct horse battery";

class TrackerExample : public ::testing::Test {
 protected:
  TrackerExample() { client.as("1"); }

  Issue add(std::string title) {
    return client.post("/api/issues", NewIssue{.title = std::move(title)}).json<Issue>();
  }
  App make(std::string admin = "") const {
    const Options options{.uploads = uploads.path(),
                          .uploads_bytes_max = 25,
                          .admin = std::move(admin),
                          .origins = {"https://board.example"}};
    App made = make_app(options, db, {.cost = {64, 1, 1}, .threads = 0});
    made.log_to(std::make_shared<LogLines>());
    return made;
  }
  /// Returns an app with users. It makes a signed-up user an administrator only when it starts.
  App make_with_users() const {
    TestClient before(make());
    for (const std::string name : {"ann", "bob", "vic"}) {
      const SignUp given{name, name + "@example.org", std::string(kPassword)};
      EXPECT_EQ(before.post("/api/signup", given).json<User>().role, Role::member);
    }
    return make("ann");
  }
  static MultipartForm plan() {
    MultipartForm form;
    form.add_file("file", "../plan.pdf", "application/pdf", "0123456789");
    return form;
  }
  std::size_t files() const {
    const std::filesystem::directory_iterator all(uploads.path());
    return static_cast<std::size_t>(std::distance(begin(all), end(all)));
  }

  TempDirectory uploads;
  Database db = open_database(":memory:", {.runs_on = SqliteOptions::RunsOn::loop});
  App app = make_with_users();
  TestClient client{
      app,
      {.document = DocumentCheck{.below = "/api", .excluded_paths = {"/api/attachments/"}},
       .keeps_cookies = true}};
};

TEST_F(TrackerExample, makes_whom_it_is_told_an_administrator_and_keeps_one) {
  EXPECT_EQ(client.get("/api/me").json<User>().role, Role::admin);
  EXPECT_EQ(client.put("/api/users/1/role", NewRole{Role::member}).status, 409);
  EXPECT_EQ(client.put("/api/users/2/role", NewRole{Role::admin}).status, 200);
  EXPECT_EQ(client.put("/api/users/1/role", NewRole{Role::viewer}).status, 200);
  EXPECT_EQ(client.put("/api/users/1/role", NewRole{Role::admin}).status, 403);
  EXPECT_EQ(client.as("2").put("/api/users/9/role", NewRole{Role::viewer}).status, 404);
  const App again = make("ann");
  EXPECT_EQ(TestClient(again).as("1").get("/api/me").json<User>().role, Role::viewer);
}

TEST_F(TrackerExample, does_not_start_while_the_name_of_its_administrator_is_free) {
  db = open_database(":memory:", {.runs_on = SqliteOptions::RunsOn::loop});
  try {
    const TestClient started(make("eve"));
    ADD_FAILURE() << "whoever signs up as eve is the administrator of the next start";
  } catch (const Failure& failure) {
    EXPECT_EQ(failure.error().cause(),
              "error[start-failed]: administrator cannot start: no user has signed up as eve");
  }
}

TEST_F(TrackerExample, logs_in_and_out) {
  EXPECT_EQ(client.post("/api/logout", json::Value()).status, 204);
  EXPECT_EQ(client.get("/api/me").status, 401);
  EXPECT_EQ(client.post("/api/login", Credentials{"bob", "wrong"}).status, 401);
  EXPECT_EQ(client.post("/api/login", Credentials{"bob", kPassword}).json<User>().id, 2);
}

TEST_F(TrackerExample, shows_the_user_and_a_message_once_in_the_layout) {
  const TestResponse form = client.get("/issues/new");
  EXPECT_TRUE(form.body.contains("New</a> ann ")) << form.body;
  const TestResponse added = client.submit(form, {{"title", "Spelling"}});
  EXPECT_EQ(added.status, 303);
  const std::string message = R"(<p class="info" role="status">The issue was added.</p>)";
  EXPECT_TRUE(client.get("/issues/1").body.contains(message));
  EXPECT_FALSE(client.get("/issues/1").body.contains(message));
  EXPECT_EQ(client.post("/api/logout", json::Value()).status, 204);
  EXPECT_FALSE(client.get("/login").body.contains("Log out"));
}

TEST_F(TrackerExample, lets_roles_do_what_they_may) {
  client.put("/api/users/3/role", NewRole{Role::viewer});
  add("Spelling");
  const struct {
    const char* as;
    Method method;
    const char* target;
    int status;
  } cases[] = {{"3", Method::post, "/api/issues", 403},      {"3", Method::get, "/api/issues", 200},
               {"2", Method::delete_, "/api/issues/1", 403}, {"2", Method::get, "/metrics", 403},
               {"1", Method::get, "/metrics", 200},          {"1", Method::get, "/health", 204},
               {"1", Method::delete_, "/api/issues/1", 204}};
  for (const auto& [as, method, target, status] : cases) {
    const TestRequest asked{.method = method,
                            .target = target,
                            .headers = {{"Content-Type", "application/json"}},
                            .body = method == Method::post ? R"({"title":"x"})" : ""};
    EXPECT_EQ(client.as(as).send(asked).status, status) << as << target;
  }
  EXPECT_TRUE(client.get("/metrics").body.contains(R"(route="/api/issues",status="403"} 1)"));
}

TEST_F(TrackerExample, lets_only_administrators_change_records_on_admin_pages) {
  add("Speling");
  TestClient stranger(app, {.keeps_cookies = true});
  EXPECT_EQ(stranger.get("/admin/", {{"Accept", "text/html"}}).header("Location"),
            "/login?next=%2Fadmin%2F");
  EXPECT_EQ(client.as("2").get("/admin/").status, 403);
  EXPECT_EQ(client.get("/admin/issues/record/1").status, 403);
  EXPECT_EQ(client.post_form("/admin/issues/record/1", {{"title", "Owned"}}).status, 403);
  TestEvents events = client.as("1").events("/api/events", {{"Last-Event-ID", "1"}});
  const TestResponse form = client.get("/admin/issues/record/1");
  EXPECT_EQ(client.submit(form, {{"title", ""}}).status, 422);
  EXPECT_EQ(client.submit(form, {{"title", "Spelling"}, {"state", "closed"}}).status, 303);
  EXPECT_TRUE(events.next()->data.contains(R"("kind":"changed","issue_id":1)"));
  const Issue issue = client.get("/api/issues/1").json<Issue>();
  EXPECT_EQ(issue.title, "Spelling");
  EXPECT_EQ(issue.state, IssueState::closed);
  EXPECT_EQ(issue.version, 2);
  EXPECT_TRUE(client.get("/admin/log").body.contains("Speling"));
}

TEST_F(TrackerExample, has_no_admin_pages_that_delete_or_change_roles) {
  add("Spelling");
  EXPECT_EQ(client.post_form("/admin/issues/delete", {{"key", "1"}}).status, 403);
  EXPECT_EQ(client.post_form("/admin/users/record/1", {{"role", "member"}}).status, 405);
  EXPECT_TRUE(client.get("/admin/users").body.contains("vic"));
}

TEST_F(TrackerExample, keeps_all_of_an_issue) {
  const std::vector<std::string> labels{"docs", "easy"};
  const NewIssue given{.title = "Spelling", .body = "two ls", .labels = labels};
  const TestResponse made = client.post("/api/issues", given);
  EXPECT_EQ(made.header("Location"), "/api/issues/1");
  const Issue kept = client.get("/api/issues/1").json<Issue>();
  EXPECT_EQ(kept.labels, labels);
  EXPECT_EQ(kept.priority, 3);
  EXPECT_EQ(kept.author, "ann");
}

TEST_F(TrackerExample, loses_no_change) {
  const std::string path = "/api/issues/" + std::to_string(add("first").id);
  const ChangeIssue change{.version = 1, .state = IssueState::closed, .assignee_id = 2};
  EXPECT_EQ(client.patch(path, change).json<Issue>().version, 2);
  EXPECT_EQ(client.patch(path, change).status, 409);
  EXPECT_EQ(client.patch(path, ChangeIssue{.version = 2, .assignee_id = 99}).status, 409);
  EXPECT_EQ(client.patch(path, ChangeIssue{.version = 2}).json<Issue>().assignee_id, 2);
  EXPECT_EQ(client.patch("/api/issues/9", change).status, 404);
}

TEST_F(TrackerExample, finds_sorts_and_pages) {
  for (const char* title : {"b needle", "a needle", "c 100%"}) {
    add(title);
  }
  const auto page =
      client.get("/api/issues?q=NEEDLE&sort=title&per_page=1").json<PageBody<Issue>>();
  EXPECT_EQ(page.items.at(0).title, "a needle");
  EXPECT_EQ(page.pages, 2);
  EXPECT_EQ(client.get("/api/issues?q=0%25&state=open").json<PageBody<Issue>>().total, 1);
  EXPECT_EQ(client.get("/api/issues?sort=colour").status, 400);
  EXPECT_TRUE(client.get("/?q=needle&priority=3&per_page=1")
                  .body.contains("?q=needle&amp;priority=3&amp;per_page=1&amp;page=2"));
}

TEST_F(TrackerExample, keeps_attachments_for_users) {
  add("with a file");
  const json::Value kept =
      client.post_form("/api/issues/1/attachments", plan()).json<json::Value>();
  EXPECT_EQ(kept["name"], "plan.pdf");
  const TestResponse part = client.get("/api/attachments/1", {{"Range", "bytes=7-"}});
  EXPECT_EQ(part.body, "789");
  EXPECT_TRUE(part.header("Content-Disposition")->starts_with("attachment; filename=\"plan.pdf\""));
  EXPECT_EQ(client.post_form("/api/issues/9/attachments", plan()).status, 404);
}

TEST_F(TrackerExample, bounds_attachments_and_removes_them_with_their_issue) {
  add("with files");
  for (const int status : {201, 201, 507}) {
    EXPECT_EQ(client.post_form("/api/issues/1/attachments", plan()).status, status);
  }
  EXPECT_EQ(files(), 2U);
  EXPECT_EQ(client.del("/api/issues/1").status, 204);
  EXPECT_EQ(files(), 0U);
}

TEST_F(TrackerExample, removes_files_at_its_start_that_an_end_in_between_has_left) {
  add("with a file");
  client.post_form("/api/issues/1/attachments", plan());
  std::ofstream(uploads.path() / std::string(32, 'a')) << "x";
  for (const auto& file : std::filesystem::directory_iterator(uploads.path())) {
    last_write_time(file, std::filesystem::file_time_type::clock::now() - 2h);
  }
  const TestClient again(make());
  EXPECT_EQ(files(), 1U);
  EXPECT_EQ(client.get("/api/attachments/1").status, 200);
}

TEST_F(TrackerExample, tells_what_happens_and_what_was_missed) {
  TestWebSocket socket = client.websocket("/api/live");
  TestEvents events = client.events("/api/events");
  add("news");
  EXPECT_EQ(events.next()->id, "1");
  EXPECT_TRUE(socket.receive()->bytes.contains("\"created\""));
  add("more");
  TestEvents later = client.events("/api/events", {{"Last-Event-ID", "1"}});
  EXPECT_TRUE(later.next()->data.contains("\"issue_id\":2"));
}

TEST_F(TrackerExample, limits_logins_and_sign_ups_for_a_while) {
  const auto last = [this](int times, const char* target, const auto& sent) {
    int status = 0;
    for (int i = 0; i < times; ++i) {
      status = client.post(target, sent).status;
    }
    return status;
  };
  EXPECT_EQ(last(7, "/api/login", Credentials{"bob", "wrong"}), 429);
  client.advance(1min);
  EXPECT_EQ(last(1, "/api/login", Credentials{"bob", kPassword}), 200);
  EXPECT_EQ(last(21, "/api/signup", Credentials{"x", "y"}), 429);
}

TEST_F(TrackerExample, lets_one_origin_in) {
  for (const std::string origin : {"https://board.example", "https://evil.example"}) {
    const TestResponse reply = client.get("/api/me", {{"Origin", origin}});
    const bool is_ours = origin == "https://board.example";
    EXPECT_EQ(reply.header("Access-Control-Allow-Origin").has_value(), is_ours);
  }
}

TEST_F(TrackerExample, shows_a_refused_form_with_what_was_typed) {
  const TestResponse form = client.get("/issues/new");
  const TestResponse again = client.submit(form, {{"title", ""}, {"body", "typed <b>"}});
  EXPECT_EQ(again.status, 422);
  EXPECT_TRUE(again.body.contains("typed &lt;b&gt;"));
  EXPECT_EQ(client.submit(form, {{"title", "<i>"}}).header("Location"), "/issues/1");
  EXPECT_TRUE(client.get("/issues/1").body.contains("<h1>&lt;i&gt;</h1>"));
  EXPECT_EQ(client.post_form("/issues", {{"title", "forged"}}).status, 403);
}

TEST_F(TrackerExample, leads_strangers_to_the_login) {
  EXPECT_TRUE(client.get("/").body.contains("Issues"));
  TestClient stranger(app, {.keeps_cookies = true});
  EXPECT_EQ(stranger.get("/", {{"Accept", "text/html"}}).header("Location"), "/login?next=%2F");
  const TestResponse login = stranger.get("/login?next=%2Fissues%2Fnew");
  EXPECT_FALSE(login.body.contains("<style"));  // the Content-Security-Policy forbids it
  EXPECT_EQ(stranger.submit(login, {{"name", "bob"}, {"password", kPassword}}).header("Location"),
            "/issues/new");
  EXPECT_EQ(stranger.get("/assets/style.css").header("Content-Type"), "text/css; charset=utf-8");
}

}  // namespace
}  // namespace tracker
