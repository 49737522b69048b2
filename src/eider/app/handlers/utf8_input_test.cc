// Text parameters are UTF-8, from any part of the request.
#include <gtest/gtest.h>

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "eider/app/app.h"
#include "eider/core/reflect/constraints.h"
#include "eider/testkit/test_client.h"

namespace eider {
namespace {

struct Search {
  std::string q;
  std::vector<std::string> tags;
  std::optional<std::string> by;
  std::optional<Sized<std::string, 1, 8>> mark;
};

/// A text as in a target or a form.
struct Escaped {
  const char* escapes;
  const char* bytes;
};
constexpr std::array kTexts{Escaped{"plain", "plain"}, Escaped{"%C3%A4", "\xC3\xA4"},
                            Escaped{"abcdefg%E2%82%ACh", "abcdefg\xE2\x82\xACh"},
                            Escaped{"%F0%9F%A6%86", "\xF0\x9F\xA6\x86"},
                            Escaped{"a%00b", nullptr}};  // a NUL is valid UTF-8
// Latin-1, overlong, truncated, half of a surrogate pair, above U+10FFFF, after valid words.
constexpr std::array kNoTexts{Escaped{"M%FCller", "M\xFCller"},
                              Escaped{"%C0%AF", "\xC0\xAF"},
                              Escaped{"%E2%82", "\xE2\x82"},
                              Escaped{"%ED%A0%80", "\xED\xA0\x80"},
                              Escaped{"%F4%90%80%80", "\xF4\x90\x80\x80"},
                              Escaped{"abcdefghijklmnop%80", "abcdefghijklmnop\x80"}};

App make_reading_app() {
  App app;
  app.get("/view/{name}", [](std::string_view name) { return std::string(name); });
  app.get("/string/{name}", [](std::string name) { return name; });
  app.get("/bounded/{name}", [](Sized<std::string, 1, 40> name) { return std::string(*name); });
  app.get("/rest/{name...}", [](std::string_view name) { return std::string(name); });
  app.get("/search", [](Query<Search> search) { return search->q; });
  app.post("/form", [](Form<Search> search) { return search->q; });
  app.get("/header", [](Header<"X-Name", std::string_view> name) { return std::string(*name); });
  app.get("/cookie", [](Cookie<"name", std::string> name) { return *name; });
  app.get("/perhaps",
          [](Header<"X-Name", std::optional<std::string>> name) { return name->value_or("none"); });
  return app;
}

/// Expects a 4xx whose only error is that `name` must be text.
void expect_refused(const TestResponse& reply, int status, std::string_view name,
                    std::string_view where) {
  EXPECT_EQ(reply.status, status) << where;
  const TestProblem problem = reply.problem();
  ASSERT_EQ(problem.errors.size(), 1U) << where;
  EXPECT_EQ(problem.errors[0].pointer, name) << where;
  EXPECT_EQ(problem.errors[0].detail, "must be UTF-8 text") << where;
}

TEST(Utf8Input, path_values_are_text_or_a_400_that_names_them) {
  const App app = make_reading_app();
  TestClient client(app);
  for (const std::string route : {"/view/", "/string/", "/bounded/", "/rest/", "/rest/a/"}) {
    for (const Escaped& text : kTexts) {
      if (text.bytes != nullptr) {
        const TestResponse reply = client.get(route + text.escapes);
        EXPECT_EQ(reply.status, 200) << route << text.escapes;
        EXPECT_TRUE(reply.body.ends_with(text.bytes)) << route << text.escapes;
      }
    }
    for (const Escaped& text : kNoTexts) {
      expect_refused(client.get(route + text.escapes), 400, "name", route + text.escapes);
    }
  }
}

TEST(Utf8Input, members_of_a_query_are_text_or_an_error_that_names_them) {
  const App app = make_reading_app();
  TestClient client(app);
  for (const Escaped& text : kTexts) {
    EXPECT_EQ(client.get(std::string("/search?q=") + text.escapes).status, 200) << text.escapes;
  }
  for (const Escaped& text : kNoTexts) {
    const std::string value(text.escapes);
    expect_refused(client.get("/search?q=" + value), 400, "q", value);
    expect_refused(client.get("/search?q=a&tags=b&tags=" + value), 400, "tags", value);
    expect_refused(client.get("/search?q=a&by=" + value), 400, "by", value);
    expect_refused(client.get("/search?q=a&mark=" + value), 400, "mark", value);
  }
}

TEST(Utf8Input, members_of_a_form_are_text_or_a_422_that_names_them) {
  const App app = make_reading_app();
  TestClient client(app);
  const auto post = [&client](const std::string& body) {
    return client.send({.method = Method::post,
                        .target = "/form",
                        .headers = {{"Content-Type", "application/x-www-form-urlencoded"}},
                        .body = body});
  };
  for (const Escaped& text : kTexts) {
    EXPECT_EQ(post(std::string("q=") + text.escapes).status, 200) << text.escapes;
  }
  for (const Escaped& text : kNoTexts) {
    expect_refused(post(std::string("q=") + text.escapes), 422, "q", text.escapes);
    expect_refused(post(std::string("q=") + text.bytes), 422, "q", text.escapes);
  }
}

TEST(Utf8Input, headers_and_cookies_are_text_or_a_400_that_names_them) {
  const App app = make_reading_app();
  TestClient client(app);
  const auto get = [&client](const char* target, std::string_view field, const std::string& value) {
    return client.send({.target = target, .headers = {{field, value}}});
  };
  for (const Escaped& text : kTexts) {
    if (text.bytes != nullptr) {
      EXPECT_EQ(get("/header", "X-Name", text.bytes).body, text.bytes);
      EXPECT_EQ(get("/perhaps", "X-Name", text.bytes).body, text.bytes);
    }
  }
  for (const Escaped& text : kNoTexts) {
    const std::string bytes(text.bytes);
    expect_refused(get("/header", "X-Name", bytes), 400, "X-Name", text.escapes);
    expect_refused(get("/perhaps", "X-Name", bytes), 400, "X-Name", text.escapes);
    // The value of a cookie is ASCII (RFC 6265, section 4.1.1); others are missing.
    EXPECT_EQ(get("/cookie", "Cookie", "name=" + bytes).status, 400) << text.escapes;
  }
}

// Programs on Windows write a byte order mark at the beginning of a text.
TEST(Utf8Input, of_a_body_may_begin_with_a_byte_order_mark) {
  App app = make_reading_app();
  app.post("/json", [](Json<Search> search) { return search->q; });
  TestClient client(app);
  const auto post = [&](const char* path, const char* type, std::string body) {
    return client.send({.method = Method::post,
                        .target = path,
                        .headers = {{"Content-Type", type}},
                        .body = std::move(body)});
  };
  constexpr const char* kForm = "application/x-www-form-urlencoded";
  EXPECT_EQ(post("/form", kForm, "\xEF\xBB\xBFq=a").body, "a");
  EXPECT_EQ(post("/form", kForm, "q=%EF%BB%BFa").body,
            "\xEF\xBB\xBF"
            "a");
  EXPECT_EQ(post("/json", "application/json", "\xEF\xBB\xBF{\"q\":\"a\",\"tags\":[]}").body, "a");
  for (const std::string& body :
       {std::string("\xFF\xFE{\0}\0", 6), std::string("\xFE\xFF\0{", 4)}) {
    const TestResponse refused = post("/json", "application/json", body);
    EXPECT_EQ(refused.status, 400);
    EXPECT_TRUE(refused.body.contains("is UTF-16 or UTF-32 and must be UTF-8")) << refused.body;
  }
}

}  // namespace
}  // namespace eider
