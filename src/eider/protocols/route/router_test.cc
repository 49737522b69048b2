#include "eider/protocols/route/router.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "eider/core/base/buffer.h"
#include "eider/protocols/http/request.h"

namespace eider {
namespace {

struct Entry {
  Method method;
  const char* pattern;
};

/// The endpoint of each route is its index.
Router make_router(const std::vector<Entry>& entries) {
  Router router;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const auto added =
        router.add(entries[i].method, entries[i].pattern, static_cast<std::uint32_t>(i));
    EXPECT_TRUE(added.has_value()) << added.error();
  }
  router.freeze();
  return router;
}

/// Returns "2 value value", or for other results: "404", "400", "405 GET, HEAD", "204 GET, HEAD".
std::string ask(const Router& router, Method method, std::string_view path) {
  PathValues values;
  Buffer scratch;
  // A copy of exactly that size, so that a sanitizer reports reads beyond it.
  const std::vector<char> bytes(path.begin(), path.end());
  const Lookup lookup = router.find(method, {bytes.data(), bytes.size()}, values, scratch);
  switch (lookup.kind) {
    case Lookup::Kind::found:
      break;
    case Lookup::Kind::not_found:
      return "404";
    case Lookup::Kind::bad_request:
      return "400";
    case Lookup::Kind::method_not_allowed:
      return "405 " + lookup.allow_text();
    case Lookup::Kind::options:
      return "204 " + lookup.allow_text();
  }
  std::string text = std::to_string(lookup.endpoint);
  for (std::size_t i = 0; i < values.size(); ++i) {
    text += " " + std::string(values[i]);
  }
  return text;
}

std::string get(const Router& router, std::string_view path) {
  return ask(router, Method::get, path);
}

TEST(Router, a_literal_wins_over_a_parameter_and_that_over_the_rest) {
  const Router router = make_router({{Method::get, "/a/{rest...}"},
                                     {Method::get, "/a/{x}"},
                                     {Method::get, "/a/b"},
                                     {Method::get, "/{x}/b"},
                                     {Method::get, "/"},
                                     {Method::get, "/{rest...}"}});
  EXPECT_EQ(get(router, "/a/b"), "2");
  EXPECT_EQ(get(router, "/a/c"), "1 c");
  EXPECT_EQ(get(router, "/a/c/d"), "0 c/d");
  EXPECT_EQ(get(router, "/a/c/"), "0 c/");
  EXPECT_EQ(get(router, "/a/"), "0 ");
  EXPECT_EQ(get(router, "/c/b"), "3 c");
  EXPECT_EQ(get(router, "/c/d"), "5 c/d");
  EXPECT_EQ(get(router, "/a"), "5 a");
  EXPECT_EQ(get(router, "/"), "4");
}

TEST(Router, a_specific_branch_that_fails_later_gives_way) {
  const Router router = make_router({{Method::get, "/a/b/c"},
                                     {Method::get, "/a/{x}/d"},
                                     {Method::get, "/{x}/b/e"},
                                     {Method::get, "/{x}/{y}/{z}"},
                                     {Method::get, "/a/b/{x}/f"}});
  EXPECT_EQ(get(router, "/a/b/c"), "0");
  EXPECT_EQ(get(router, "/a/b/d"), "1 b");
  EXPECT_EQ(get(router, "/a/b/e"), "2 a");
  EXPECT_EQ(get(router, "/a/b/g"), "3 a b g");
  EXPECT_EQ(get(router, "/a/b/c/f"), "4 c");
  EXPECT_EQ(get(router, "/a/b/c/g"), "404");
}

TEST(Router, a_slash_at_the_end_counts) {
  const Router router = make_router({{Method::get, "/a"},
                                     {Method::get, "/b/"},
                                     {Method::get, "/c/{x}"},
                                     {Method::get, "/d/{x}/"}});
  EXPECT_EQ(get(router, "/a"), "0");
  EXPECT_EQ(get(router, "/a/"), "404");
  EXPECT_EQ(get(router, "/b"), "404");
  EXPECT_EQ(get(router, "/b/"), "1");
  EXPECT_EQ(get(router, "/c/"), "404");
  EXPECT_EQ(get(router, "/c/x"), "2 x");
  EXPECT_EQ(get(router, "/c/x/"), "404");
  EXPECT_EQ(get(router, "/d/x"), "404");
  EXPECT_EQ(get(router, "/d/x/"), "3 x");
  EXPECT_EQ(get(router, "//a"), "404");
  EXPECT_EQ(get(router, ""), "404");
  EXPECT_EQ(get(router, "a"), "404");
}

TEST(Router, a_path_is_split_first_and_decoded_once) {
  const Router router = make_router({{Method::get, "/v/{x}"},
                                     {Method::get, "/v/{x}/{y}"},
                                     {Method::get, "/f/{rest...}"},
                                     {Method::get, "/caf\xC3\xA9"}});
  EXPECT_EQ(get(router, "/v/a%20b"), "0 a b");
  EXPECT_EQ(get(router, "/v/a%2Fb"), "0 a/b");
  EXPECT_EQ(get(router, "/v/a%2fb/c%2Fd"), "1 a/b c/d");
  EXPECT_EQ(get(router, "/v/%2525"), "0 %25");
  EXPECT_EQ(get(router, "/v/a+b"), "0 a+b");
  EXPECT_EQ(get(router, "/v/https%3A%2F%2Fexample.org%2F"), "0 https://example.org/");
  EXPECT_EQ(get(router, "/%76/a"), "0 a");
  EXPECT_EQ(get(router, "/caf%C3%A9"), "3");
  EXPECT_EQ(get(router, "/caf\xC3\xA9"), "3");
  EXPECT_EQ(get(router, "%2Fv/a"), "404");
  EXPECT_EQ(get(router, "/v%2Fa"), "404");
  EXPECT_EQ(get(router, "/f/a%2Fb/c"), "2 a/b/c");
}

TEST(Router, a_bad_escape_or_nul_is_a_bad_request) {
  const Router router = make_router({{Method::get, "/{x}"}, {Method::get, "/a"}});
  for (const std::string_view path :
       {std::string_view("/%"), std::string_view("/%2"), std::string_view("/%zz"),
        std::string_view("/%0g"), std::string_view("/%00"), std::string_view("/a%00"),
        std::string_view("/\0", 2), std::string_view("/a\0", 3), std::string_view("/%%41"),
        std::string_view("/abcdefghijk%")}) {
    EXPECT_EQ(get(router, path), "400") << path;
  }
}

TEST(Router, no_value_climbs_however_it_is_escaped) {
  const Router router = make_router({{Method::get, "/f/{rest...}"}, {Method::get, "/v/{x}"}});
  for (const char* path : {"/f/..",     "/f/.",        "/f/../etc",      "/f/a/../../b",
                           "/f/a/./b",  "/f/%2e%2e/a", "/f/.%2E/a",      "/f/a%2f..%2fb",
                           "/f/..%2fb", "/f/%2e",      "/f//etc/passwd", "/f/%2Fetc%2Fpasswd",
                           "/f/a//b",   "/f/a%2F%2Fb", "/v/.",           "/v/..",
                           "/v/%2e",    "/v/.%2e",     "/v/..%2Fa",      "/v/a%2F..%2Fb"}) {
    EXPECT_EQ(get(router, path), "404") << path;
  }
  EXPECT_EQ(get(router, "/f/..."), "0 ...");
  EXPECT_EQ(get(router, "/f/.a/b..c"), "0 .a/b..c");
  EXPECT_EQ(get(router, "/f/a%5C..%5Cb"), "0 a\\..\\b");
  EXPECT_EQ(get(router, "/v/...%20"), "1 ... ");
}

TEST(Router, head_is_answered_by_get_unless_it_has_a_route) {
  const Router router = make_router({{Method::get, "/a"},
                                     {Method::get, "/b"},
                                     {Method::head, "/b"},
                                     {Method::post, "/c"},
                                     {Method::get, "/d/{x}"}});
  EXPECT_EQ(ask(router, Method::head, "/a"), "0");
  EXPECT_EQ(ask(router, Method::head, "/b"), "2");
  EXPECT_EQ(get(router, "/b"), "1");
  EXPECT_EQ(ask(router, Method::head, "/c"), "405 POST, OPTIONS");
  EXPECT_EQ(ask(router, Method::head, "/d/1"), "4 1");
}

TEST(Router, a_method_that_is_missing_is_told_what_there_is) {
  const Router router = make_router({{Method::get, "/a"},
                                     {Method::put, "/a"},
                                     {Method::delete_, "/{x}"},
                                     {Method::options, "/own"},
                                     {Method::patch, "/p/{rest...}"}});
  EXPECT_EQ(ask(router, Method::post, "/a"), "405 GET, HEAD, PUT, DELETE, OPTIONS");
  EXPECT_EQ(ask(router, Method::unknown, "/b"), "405 DELETE, OPTIONS");
  EXPECT_EQ(ask(router, Method::post, "/p/q/r"), "405 OPTIONS, PATCH");
  EXPECT_EQ(ask(router, Method::post, "/b/c"), "404");
  EXPECT_EQ(ask(router, Method::options, "/a"), "204 GET, HEAD, PUT, DELETE, OPTIONS");
  EXPECT_EQ(ask(router, Method::options, "/own"), "3");
  EXPECT_EQ(ask(router, Method::options, "/b/c"), "404");
  EXPECT_EQ(ask(router, Method::options, "*"), "204 GET, HEAD, PUT, DELETE, OPTIONS, PATCH");
}

TEST(Router, a_less_specific_pattern_serves_the_methods_that_the_other_lacks) {
  const Router router =
      make_router({{Method::get, "/a/{x}"}, {Method::post, "/a/b"}, {Method::put, "/{r...}"}});
  EXPECT_EQ(get(router, "/a/b"), "0 b");
  EXPECT_EQ(ask(router, Method::post, "/a/b"), "1");
  EXPECT_EQ(ask(router, Method::put, "/a/b"), "2 a/b");
  EXPECT_EQ(ask(router, Method::post, "/a/c"), "405 GET, HEAD, PUT, OPTIONS");
}

TEST(Router, nothing_registered_finds_nothing) {
  const Router router = make_router({});
  EXPECT_EQ(get(router, "/"), "404");
  EXPECT_EQ(get(router, "/a/b"), "404");
  EXPECT_EQ(ask(router, Method::options, "*"), "404");
}

TEST(Router, two_patterns_for_the_same_paths_are_both_named) {
  Router router;
  ASSERT_TRUE(router.add(Method::get, "/users/{id}", 0));
  EXPECT_TRUE(router.add(Method::post, "/users/{name}", 1));
  EXPECT_TRUE(router.add(Method::get, "/users/{id}/", 2));
  EXPECT_TRUE(router.add(Method::get, "/users/{id...}", 3));
  EXPECT_TRUE(router.add(Method::get, "/users/me", 4));
  EXPECT_EQ(
      router.add(Method::get, "/users/{name}", 5).error(),
      "GET /users/{name} matches the same paths as GET /users/{id}, which is already registered");
  EXPECT_EQ(router.add(Method::get, "/users/me", 6).error(),
            "GET /users/me matches the same paths as GET /users/me, which is already registered");
  EXPECT_FALSE(router.add(Method::get, "/users/{rest...}", 7));
}

TEST(Router, a_pattern_that_is_not_valid_is_named_with_its_fault) {
  Router router;
  EXPECT_EQ(router.add(Method::get, "/{a}/{a}", 0).error(),
            "the pattern of GET /{a}/{a} is not valid: two path parameters have the same name");
  EXPECT_EQ(router.add(Method::get, "users", 0).error(),
            "the pattern of GET users is not valid: a pattern must start with '/'");
  EXPECT_FALSE(router.add(Method::unknown, "/a", 0));
}

TEST(Router, values_stay_where_they_are_while_the_scratch_is_left_alone) {
  const Router router = make_router({{Method::get, "/{a}/{b}/{c}/{d}/{e}/{f}/{g}/{h}"}});
  PathValues values;
  Buffer scratch;
  std::string path;
  for (int i = 0; i < 8; ++i) {
    path += "/%41" + std::string(100, static_cast<char>('a' + i));
  }
  ASSERT_EQ(router.find(Method::get, path, values, scratch).kind, Lookup::Kind::found);
  ASSERT_EQ(values.size(), 8U);
  for (std::size_t i = 0; i < 8; ++i) {
    EXPECT_EQ(values[i], "A" + std::string(100, static_cast<char>('a' + i)));
    EXPECT_TRUE(values[i].data() >= scratch.data() &&
                values[i].data() < scratch.data() + scratch.size());
  }
}

TEST(Router, a_path_without_escapes_is_never_copied) {
  const Router router = make_router({{Method::get, "/{a}"}});
  PathValues values;
  Buffer scratch;
  const std::string path = "/abcdefghijklmnop";
  ASSERT_EQ(router.find(Method::get, path, values, scratch).kind, Lookup::Kind::found);
  EXPECT_EQ(values[0].data(), path.data() + 1);
  EXPECT_EQ(scratch.capacity(), 0U);
}

TEST(Router, many_siblings_are_told_apart) {
  Router router;
  for (std::uint32_t i = 0; i < 2000; ++i) {
    const std::string number = std::to_string(i);
    ASSERT_TRUE(router.add(Method::get, "/things/n" + number + "/{x}", i));
    ASSERT_TRUE(router.add(Method::get, "/things/n" + number, i + 2000));
    ASSERT_TRUE(router.add(Method::get, "/by/{x}/" + number, i + 4000));
  }
  router.freeze();
  for (std::uint32_t i = 0; i < 2000; ++i) {
    const std::string number = std::to_string(i);
    EXPECT_EQ(get(router, "/things/n" + number + "/v"), number + " v");
    EXPECT_EQ(get(router, "/things/n" + number), std::to_string(i + 2000));
    EXPECT_EQ(get(router, "/by/v/" + number), std::to_string(i + 4000) + " v");
    EXPECT_EQ(get(router, "/things/m" + number + "/v"), "404");
    EXPECT_EQ(get(router, "/things/m" + number), "404");
  }
}

}  // namespace
}  // namespace eider
