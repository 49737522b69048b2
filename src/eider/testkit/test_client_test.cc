#include "eider/testkit/test_client.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "eider/app/handlers/event_stream.h"
#include "eider/app/handlers/multipart.h"
#include "eider/app/handlers/websocket.h"
#include "eider/core/base/failure.h"
#include "eider/core/reflect/constraints.h"
#include "eider/io/runtime/blocking.h"
#include "eider/io/runtime/loop.h"
#include "eider/io/runtime/sleep.h"
#include "eider/protocols/http/date.h"
#include "eider/server/topics.h"

namespace eider {
namespace {

struct Point {
  int x = 0;
  int y = 0;
};
struct Login {
  std::string name;
  std::string word;
};

/// Returns the Cookie header of the request.
std::string told_cookies(const Request& request) {
  return std::string(request.header("Cookie").value_or("none"));
}

App cookie_app() {
  App app;
  app.get("/set", [](Query<Login> cookie) {
    return Response::text("").add_header("Set-Cookie", cookie->name + "=" + cookie->word);
  });
  app.get("/", told_cookies);
  app.get("/deep", told_cookies);
  app.get("/deep/er", told_cookies);
  app.get("/deeper", told_cookies);
  return app;
}

TEST(TestClientCookies, go_back_with_later_requests_where_that_is_asked_for) {
  const App app = cookie_app();
  TestClient plain(app);
  (void)plain.get("/set?name=a&word=1");
  EXPECT_EQ(plain.get("/").body, "none");
  TestClient client(app, {.keeps_cookies = true});
  (void)client.get("/set?name=a&word=1");
  (void)client.get("/set?name=b&word=2");
  (void)client.get("/set?name=a&word=3;%20Secure");
  EXPECT_EQ(client.get("/").body, "b=2; a=3");
}

TEST(TestClientCookies, go_to_their_path_and_what_lies_below) {
  const App app = cookie_app();
  TestClient client(app, {.keeps_cookies = true});
  (void)client.get("/set?name=a&word=1");
  (void)client.get("/set?name=b&word=2;%20Path=/deep");
  EXPECT_EQ(client.get("/").body, "a=1");
  EXPECT_EQ(client.get("/deep").body, "b=2; a=1");
  EXPECT_EQ(client.get("/deep/er").body, "b=2; a=1");
  EXPECT_EQ(client.get("/deeper").body, "a=1");
}

TEST(TestClientCookies, end_with_their_age_and_when_they_are_deleted) {
  const App app = cookie_app();
  TestClient client(app, {.keeps_cookies = true});
  (void)client.get("/set?name=a&word=1;%20Max-Age=60");
  (void)client.get("/set?name=b&word=2");
  (void)client.get("/set?name=c&word=3");
  EXPECT_EQ(client.get("/").body, "a=1; b=2; c=3");
  client.advance(std::chrono::seconds(61));
  EXPECT_EQ(client.get("/").body, "b=2; c=3");
  (void)client.get("/set?name=b&word=;%20Max-Age=0");
  (void)client.get("/set?name=c&word=;%20Expires=Thu,%2001%20Jan%201970%2000:00:00%20GMT");
  EXPECT_EQ(client.get("/").body, "none");
}

App redirecting_app() {
  App app;
  app.post("/notes", [] { return Redirect("/notes/1"); });
  app.get("/notes/{id}", [](int id) { return id; });
  app.get("/a/old", [] { return Response(302).add_header("Location", "new?x=1"); });
  app.get("/a/new", [](const Request& request) { return std::string(request.head().query); });
  app.post("/moved", [] { return Response(307).add_header("Location", "/echo"); });
  app.post("/echo", [](Body body) { return std::string(body.view()); });
  app.get("/away", [] { return Response(302).add_header("Location", "https://example.com/"); });
  app.get("/round", [] { return Response(302).add_header("Location", "/round"); });
  return app;
}

TEST(TestClientRedirects, are_followed_as_far_as_that_is_asked_for) {
  const App app = redirecting_app();
  EXPECT_EQ(TestClient(app).post("/notes", json::Value(1)).status, 303);
  TestClient client(app, {.redirects_max = 3});
  EXPECT_EQ(client.post("/notes", json::Value(1)).body, "1");
  EXPECT_EQ(client.get("/a/old").body, "x=1");
  EXPECT_EQ(client.post("/moved", json::Value(7)).body, "7");
  EXPECT_EQ(client.get("/away").status, 302);
  EXPECT_EQ(client.get("/round").status, 302);
}

TEST(TestClient, sends_structs_as_json) {
  App app;
  app.post("/points", [](Json<Point> point) { return Point{point->y, point->x}; });
  TestClient client(app);
  const TestResponse reply = client.post("/points", Point{1, 2});
  EXPECT_EQ(reply.json<Point>().x, 2);
  EXPECT_EQ(reply.json<Point>().y, 1);
}

TEST(TestClient, sends_forms_and_files) {
  App app;
  app.post("/login", [](Form<Login> login) { return login->name + ":" + login->word; });
  app.post("/upload", [](Body body, const Request& request) {
    return std::string(request.header("Content-Type").value_or("")) + "\n" +
           std::string(body.view());
  });
  TestClient client(app);
  EXPECT_EQ(client.post_form("/login", {{"name", "Ada & co"}, {"word", "a=b+c"}}).body,
            "Ada & co:a=b+c");
  const TestResponse reply = client.post_form(
      "/upload", MultipartForm().add("a", "1").add_file("file", "x.txt", "text/plain", "bytes"));
  EXPECT_TRUE(reply.body.starts_with("multipart/form-data; boundary=boundary\n--boundary\r\n"))
      << reply.body;
  EXPECT_TRUE(reply.body.contains("filename=\"x.txt\"")) << reply.body;
}

TEST(TestClient, sends_its_own_fields_with_each_request) {
  App app;
  app.get("/", [](const Request& request) {
    return std::string(request.header("Authorization").value_or("none"));
  });
  TestClient client(app, {.headers = {{"Authorization", "Bearer abc"}}});
  EXPECT_EQ(client.get("/").body, "Bearer abc");
}

App event_app() {
  App app;
  app.get("/ticks", [](EventStream events) -> Task<> {
    for (int tick = 1; tick <= 3; ++tick) {
      const std::string text = std::to_string(tick);
      co_await events.send({.event = tick == 2 ? "two" : "", .data = text, .id = text});
      co_await sleep_for(std::chrono::seconds(90));
    }
  });
  app.get("/plain", [] { return "plain"; });
  return app;
}

TEST(TestEvents, come_in_simulated_time) {
  const App app = event_app();
  TestClient client(app);
  TestEvents events = client.events("/ticks");
  const auto first = events.next();
  ASSERT_TRUE(first);
  EXPECT_EQ(first->event, "message");
  EXPECT_EQ(first->data, "1");
  EXPECT_EQ(first->id, "1");
  EXPECT_FALSE(events.next());  // none arrives within a minute
  EXPECT_FALSE(events.has_ended());
  const auto second = events.next();
  ASSERT_TRUE(second);
  EXPECT_EQ(second->event, "two");
  const auto third = events.next(std::chrono::minutes(2));
  ASSERT_TRUE(third);
  EXPECT_EQ(third->data, "3");
  EXPECT_FALSE(events.next(std::chrono::minutes(2)));
  EXPECT_TRUE(events.has_ended());
}

TEST(TestEvents, are_no_other_response) {
  const App app = event_app();
  TestClient client(app);
  EXPECT_THROW((void)client.events("/plain"), Failure);
  EXPECT_THROW((void)client.events("/nowhere"), Failure);
}

TEST(TestWebSocket, speaks_both_ways) {
  App app;
  app.ws("/rooms/{room}", [](WebSocket ws, std::string room) -> Task<> {
    ws.subscribe(room);
    while (auto message = co_await ws.receive()) {
      if (message->bytes == "leave") {
        ws.close(ws::CloseCode(4001), "you said so");
      } else if (message->is_text()) {
        ws.publish(room, message->bytes);
      } else {
        co_await ws.send_binary(message->bytes);
      }
    }
  });
  TestClient client(app);
  TestWebSocket ada = client.websocket("/rooms/a");
  TestWebSocket bob = client.websocket("/rooms/a");
  ada.send("hello");
  EXPECT_EQ(ada.receive()->bytes, "hello");
  EXPECT_EQ(bob.receive()->bytes, "hello");
  bob.send_binary("\1\2");
  const auto binary = bob.receive();
  ASSERT_TRUE(binary);
  EXPECT_EQ(binary->bytes, "\1\2");
  EXPECT_FALSE(binary->is_text);
  EXPECT_FALSE(ada.receive(std::chrono::seconds(1)));
  EXPECT_FALSE(ada.close_code());
  bob.send("leave");
  EXPECT_FALSE(ada.receive(std::chrono::seconds(1)));
  EXPECT_FALSE(bob.receive());
  EXPECT_EQ(bob.close_code(), ws::CloseCode(4001));
  EXPECT_EQ(bob.close_reason(), "you said so");
  ada.close();
  EXPECT_FALSE(ada.receive());
  EXPECT_EQ(ada.close_code(), ws::CloseCode::normal);
}

TEST(TestWebSocket, is_told_why_it_is_refused) {
  App app;
  app.get("/plain", [] { return "plain"; });
  TestClient client(app);
  try {
    (void)client.websocket("/plain");
    ADD_FAILURE() << "there is no WebSocket";
  } catch (const Failure& failure) {
    EXPECT_EQ(std::string(failure.what()), "GET /plain HTTP/1.1 returned status 200: plain");
  }
}

TEST(TestClient, TheWallClockMovesAsTimePasses) {
  App app;
  app.get("/time", [] { return wall_time().time_since_epoch().count(); });
  app.get("/blocking", blocking([] { return wall_time().time_since_epoch().count(); }));
  TestClient client(app);
  const auto before = client.get("/time").json<std::int64_t>();
  client.advance(std::chrono::hours(1));
  EXPECT_EQ(client.get("/time").json<std::int64_t>(), before + 3600);
  EXPECT_EQ(client.get("/blocking").json<std::int64_t>(), before + 3600);
}

TEST(TestClient, ACookieGoesWhenItExpiresBySimulatedTime) {
  App app;
  app.get("/set", [] {
    const DateText ends = format_date(wall_time().time_since_epoch().count() + 60);
    Response response;
    response.add_header("Set-Cookie", "a=1; Expires=" + std::string(ends.data(), ends.size()));
    return response;
  });
  app.get("/get", [](Cookie<"a", std::optional<std::string_view>> cookie) {
    return std::string((*cookie).value_or("gone"));
  });
  TestClient client(app, {.keeps_cookies = true});
  (void)client.get("/set");
  client.advance(std::chrono::seconds(30));
  EXPECT_EQ(client.get("/get").body, "1");
  client.advance(std::chrono::seconds(31));
  EXPECT_EQ(client.get("/get").body, "gone");
}

/// A page with two forms, and each kind of field.
constexpr const char* kFormPage = R"(<!-- <form action="/comment"><input name="title"> -->
<form action="/out" method="post"><input type="hidden" name="csrf_token" value="t1"></form>
<script>const a = '<input name="title" value="script">';</script>
<FORM action=more?a=1 METHOD='POST'>
  <input type="hidden" name="csrf_token" value="&quot;t&#50;&#x2f;&eacute;&">
  <input name="title" value="old"><input name="gone" disabled value="x"><br />
  <input type="checkbox" name="on" value="true" checked><input type="checkbox" name="off">
  <input type="radio" name="way" value="a"><input type="radio" name="way" value="b" checked>
  <textarea name="body">
first
&lt;second&gt;</textarea>
  <select name="size"><option>small</option><option value="l" selected>large</option></select>
  <select name="sort"><option value="up">Up</option><option value="down">Down</option></select>
  <select name="tags" multiple><option>x</option></select>
  <button name="press">Save</button><input type="submit" name="also" value="Save">
</form>)";

App make_app_of_forms() {
  App app;
  app.get("/in/page", [] { return Html(kFormPage); });
  app.get("/find", [] { return Html("<form><input name=q value=a><input name=p></form>"); });
  app.get("/file", [] {
    return Html(
        "<form method=post enctype='multipart/form-data'><input name=a value=1>"
        "<input type=file name=f></form>");
  });
  app.get("/away", [] { return Html("<form action='https://evil.example/'></form>"); });
  app.any("/{path...}", [](std::string_view, const Request& request) {
    return std::string(request.target()) + "\n" + std::string(request.body());
  });
  return app;
}

TEST(TestClient, submits_a_form_of_a_page_as_a_browser_does) {
  const App app = make_app_of_forms();
  TestClient client(app);
  const TestResponse page = client.get("/in/page");
  EXPECT_EQ(page.target, "/in/page");
  EXPECT_EQ(client.submit(page, {{"title", "new"}}).body,
            "/in/more?a=1\ntitle=new&csrf_token=%22t2%2F%26eacute%3B%26&on=true&way=b&"
            "body=first%0D%0A%3Csecond%3E&size=l&sort=up");
  EXPECT_EQ(client.submit(page, {{"tags", "x"}, {"tags", "y"}, {"off", "1"}, {"way", "a"}}).body,
            "/in/more?a=1\ntags=x&tags=y&off=1&way=a&csrf_token=%22t2%2F%26eacute%3B%26&title=old&"
            "on=true&body=first%0D%0A%3Csecond%3E&size=l&sort=up");
  EXPECT_EQ(client.submit(page, {}, "/out").body, "/out\ncsrf_token=t1");
  EXPECT_EQ(client.submit(client.get("/find?q=0"), {{"q", "b c"}}).body.substr(0, 15),
            "<form><input na");
  EXPECT_EQ(client.submit(client.get("/find?q=0"), {{"q", "b c"}}).target, "/find?q=b%20c&p=");
}

TEST(TestClient, submits_parts_where_the_form_takes_files) {
  App app = make_app_of_forms();
  app.post("/file", [](const Request& request) { return std::string(request.body()); });
  TestClient client(app);
  const std::string parts = client.submit(client.get("/file"), {}).body;
  EXPECT_TRUE(parts.contains("name=\"a\"\r\n\r\n1\r\n")) << parts;
  EXPECT_TRUE(parts.contains("name=\"f\"; filename=\"\"")) << parts;
}

TEST(TestClient, submits_no_form_that_nobody_could) {
  const App app = make_app_of_forms();
  TestClient client(app);
  const TestResponse page = client.get("/in/page");
  EXPECT_THROW(client.submit(page, {{"titel", "x"}}), Failure) << "no such field";
  EXPECT_THROW(client.submit(page, {{"gone", "x"}}), Failure) << "disabled";
  EXPECT_THROW(client.submit(page, {{"csrf_token", "x"}}), Failure) << "two forms have it";
  EXPECT_THROW(client.submit(page, {{"title", "x"}}, "/out"), Failure);
  EXPECT_THROW(client.submit(client.get("/away"), {}), Failure) << "another site's";
  EXPECT_THROW(client.submit(client.get("/x"), {}), Failure) << "no form at all";
}

}  // namespace
}  // namespace eider
