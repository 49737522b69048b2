#include "eider/app/urls.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "eider/app/app.h"
#include "eider/core/base/failure.h"
#include "eider/testkit/test_client.h"

namespace eider {

enum class Hue { red, light_blue };

struct Pictures {
  std::string show(std::string_view album, int page) const {
    return std::string(album) + std::to_string(page);
  }
  std::string hide(std::string_view album, int page) const { return show(album, -page); }
};

namespace {

int double_of(int number) {
  return 2 * number;
}
int triple_of(int number) {
  return 3 * number;
}

std::string reason(auto call) {
  try {
    call();
  } catch (const Failure& failure) {
    return std::string(failure.error().cause());
  }
  return "";
}

TEST(UrlsOf, are_those_of_their_handlers) {
  App app;
  const auto read = [](std::string_view name, Hue) { return name; };
  const auto file = [](std::string_view path) { return path; };
  app.state<Pictures>();
  app.get("/double/{n}", &double_of);
  app.group("/more").get("/triple/{n}", &triple_of);
  app.get("/a b/{album}/{page}", &Pictures::show);
  app.get("/hidden/{album}/{page}", &Pictures::hide);
  app.get("/read/{name}/by/{hue}", read);
  app.get("/files/{path...}", file);
  const Urls& urls = app.urls();
  EXPECT_EQ(urls.of(&double_of, 7), "/double/7");
  EXPECT_EQ(urls.of(&triple_of, -7), "/more/triple/-7");
  EXPECT_EQ(urls.of(&Pictures::show, "x", 1), "/a%20b/x/1");
  EXPECT_EQ(urls.of(&Pictures::hide, "x", 1), "/hidden/x/1");
  EXPECT_EQ(urls.of(read, "a/b?c#d%e", Hue::light_blue), "/read/a%2Fb%3Fc%23d%25e/by/light_blue");
  EXPECT_EQ(urls.of(file, "a b/c/"), "/files/a%20b/c/");
  EXPECT_EQ(urls.of(file, ""), "/files/");
}

TEST(UrlsOf, lead_back_to_the_handler_with_the_same_values) {
  App app;
  const auto read = [](std::string_view name) { return name; };
  app.get("/read/{name}", read);
  TestClient client(app);
  for (const std::string name :
       {"ä ö", "%41", "a+b", "...", "~", "'\"<>&", "a;b=c", "/", "a//b", "..\\b", "a/..b"}) {
    EXPECT_EQ(client.get(app.urls().of(read, name)).body, name);
  }
}

TEST(UrlsOf, are_refused_where_no_request_would_come) {
  App app;
  const auto read = [](std::string_view name) { return name; };
  const auto file = [](std::string_view path) { return path; };
  const auto unknown = [] {};
  app.get("/read/{name}", read);
  app.get("/files/{path...}", file);
  using namespace std::string_view_literals;
  for (const std::string_view value : {""sv, "."sv, ".."sv, "../b"sv, "a/./b"sv, "a\0"sv}) {
    EXPECT_EQ(reason([&] { (void)app.urls().of(read, value); }),
              "Urls::of: \"" + std::string(value) +
                  "\" cannot be the value of {name} of /read/{name}, because no request would "
                  "match that path");
  }
  for (const std::string_view value : {"/"sv, "a//b"sv, "../b"sv, "a/.."sv, "a\0b"sv}) {
    EXPECT_NE(reason([&] { (void)app.urls().of(file, value); }), "") << value;
  }
  EXPECT_EQ(reason([&] { (void)app.urls().of(unknown); }), "Urls::of: no route has this handler");
}

TEST(UrlsOf, come_to_handlers_as_a_state) {
  App app;
  app.get("/double/{n}", &double_of);
  app.get("/link/{n}", [](int n, State<Urls> urls) { return urls->of(&double_of, n); });
  TestClient client(app);
  EXPECT_EQ(client.get("/link/21").body, "/double/21");
}

}  // namespace
}  // namespace eider
