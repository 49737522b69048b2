#include <gtest/gtest.h>

#include <string>

#include "tests/support/served_directory.h"

namespace eider {
namespace {

namespace fs = std::filesystem;

class FilesOptionsTest : public ServedDirectory {
 protected:
  FilesOptionsTest() {
    write("root/index.html", "home");
    write("root/assets/app.js", "let a = 1;");
    write("root/.env", "hidden");
    write("secret", "secret");
    fs::create_symlink("index.html", base_ / "root/inside");
    fs::create_symlink("../secret", base_ / "root/outside");
  }
};

TEST_F(FilesOptionsTest, the_first_rule_that_matches_says_how_long_a_copy_is_good) {
  serve({.cache_control = "no-store",
         .cache_rules = {{"assets/**", "public, max-age=31536000, immutable"}, {"*.html", ""}}});
  EXPECT_EQ(get("/assets/app.js").header("Cache-Control"), "public, max-age=31536000, immutable");
  EXPECT_EQ(get("/").header("Cache-Control"), std::nullopt);
  EXPECT_EQ(get("/inside").header("Cache-Control"), "no-store");
}

TEST_F(FilesOptionsTest, a_type_may_be_told) {
  serve({.type_rules = {{"*.js", "application/x-own"}}});
  EXPECT_EQ(get("/assets/app.js").header("Content-Type"), "application/x-own");
  EXPECT_EQ(get("/").header("Content-Type"), "text/html; charset=utf-8");
}

TEST_F(FilesOptionsTest, dot_files_are_hidden_denied_or_allowed) {
  serve({.dot_files = DotFiles::hidden}, "/hidden");
  serve({.dot_files = DotFiles::denied}, "/denied");
  serve({.dot_files = DotFiles::allowed}, "/allowed");
  EXPECT_EQ(get("/hidden/.env").status, 404);
  EXPECT_EQ(get("/denied/.env").status, 403);
  EXPECT_EQ(get("/denied/.absent").status, 403);
  EXPECT_EQ(get("/allowed/.env").body, "hidden");
  EXPECT_EQ(get("/allowed/..%2fsecret").status, 404);
}

TEST_F(FilesOptionsTest, links_are_followed_as_far_as_they_may) {
  serve({.symlinks = Symlinks::none}, "/none");
  serve({.symlinks = Symlinks::beneath}, "/beneath");
  serve({.symlinks = Symlinks::follow}, "/follow");
  EXPECT_EQ(get("/none/inside").status, 404);
  EXPECT_EQ(get("/none/outside").status, 404);
  EXPECT_EQ(get("/beneath/inside").body, "home");
  EXPECT_EQ(get("/beneath/outside").status, 404);
  EXPECT_EQ(get("/follow/inside").body, "home");
  EXPECT_EQ(get("/follow/outside").body, "secret");
  EXPECT_EQ(get("/follow/..%2fsecret").status, 404);
}

TEST_F(FilesOptionsTest, a_page_that_is_not_there_is_the_fallback) {
  serve({.fallback = "index.html"});
  const TestResponse reply = get("/notes/17", {{"Accept", "text/html,*/*;q=0.8"}});
  EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(reply.body, "home");
  EXPECT_EQ(reply.header("Content-Type"), "text/html; charset=utf-8");
  EXPECT_EQ(reply.header("Vary"), "Accept");
  EXPECT_EQ(get("/notes/", {{"Accept", "text/html"}}).body, "home");
  EXPECT_EQ(head("/notes", {{"Accept", "text/html"}}).status, 200);
}

TEST_F(FilesOptionsTest, what_is_no_page_has_no_fallback) {
  serve({.fallback = "index.html"});
  EXPECT_EQ(get("/notes/17").status, 404);
  EXPECT_EQ(get("/notes/17", {{"Accept", "*/*"}}).status, 404);
  EXPECT_EQ(get("/notes/17", {{"Accept", "application/json"}}).status, 404);
  EXPECT_EQ(get("/assets/absent.js", {{"Accept", "text/html"}}).status, 404);
  EXPECT_EQ(get("/.env", {{"Accept", "text/html"}}).status, 404);
  EXPECT_EQ(get("/outside/x", {{"Accept", "text/html"}}).body, "home");
  EXPECT_EQ(get("/assets/app.js", {{"Accept", "text/html"}}).body, "let a = 1;");
}

TEST_F(FilesOptionsTest, a_fallback_that_is_not_there_is_a_404) {
  serve({.fallback = "absent.html"}, "/absent");
  serve({.fallback = "assets"}, "/directory");
  EXPECT_EQ(get("/absent/page", {{"Accept", "text/html"}}).status, 404);
  EXPECT_EQ(get("/directory/page", {{"Accept", "text/html"}}).status, 404);
}

TEST_F(FilesOptionsTest, without_an_index_a_directory_is_nothing) {
  serve({.index = ""});
  EXPECT_EQ(get("/").status, 404);
  EXPECT_EQ(get("/assets/").status, 404);
  EXPECT_EQ(get("/assets").status, 301);
}

TEST_F(FilesOptionsTest, a_listing_shows_what_would_be_served_and_nothing_else) {
  write("root/assets/<b>\"&'.txt", "12345");
  write("root/assets/.hidden", "x");
  write("root/assets/latin-\xE9.txt", "x");
  fs::create_directory(base_ / "root/assets/zoo");
  fs::create_symlink("../../secret", base_ / "root/assets/out");
  fs::create_symlink("app.js", base_ / "root/assets/in");
  mkfifo((base_ / "root/assets/fifo").c_str(), 0600);
  serve({.listing = DirectoryListing::html});
  const TestResponse reply = get("/assets/");
  EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(reply.header("Content-Type"), "text/html; charset=utf-8");
  EXPECT_TRUE(reply.header("Content-Security-Policy"));
  const std::string& page = reply.body;
  const auto has = [&page](std::string_view text) { return page.find(text) != page.npos; };
  EXPECT_TRUE(has("href=\"./app.js\">app.js</a>")) << page;
  EXPECT_TRUE(has("href=\"./%3Cb%3E%22%26%27.txt\">&lt;b&gt;&quot;&amp;&#39;.txt</a><td>5<td>"));
  EXPECT_TRUE(has("href=\"./in\""));
  EXPECT_TRUE(has("href=\"../\""));
  for (const char* text : {"<b>", ".hidden", "out", "fifo", "latin"}) {
    EXPECT_FALSE(has(text)) << text;
  }
  EXPECT_LT(page.find("zoo/"), page.find("app.js"));
  EXPECT_LT(page.find("&lt;b"), page.find("app.js"));
}

TEST_F(FilesOptionsTest, a_listing_says_when_there_is_more) {
  constexpr int kNames = 4'097;
  fs::create_directory(base_ / "root/many");
  for (int i = 0; i < kNames; ++i) {
    std::ofstream(base_ / "root/many" / std::to_string(i));
  }
  serve({.listing = DirectoryListing::html});
  EXPECT_NE(get("/many/").body.find("There are more"), std::string::npos);
  fs::remove(base_ / "root/many/0");
  EXPECT_EQ(get("/many/").body.find("There are more"), std::string::npos);
}

TEST_F(FilesOptionsTest, a_listing_stands_in_only_where_there_is_no_index) {
  serve({.fallback = "index.html", .listing = DirectoryListing::html});
  EXPECT_EQ(get("/").body, "home");
  EXPECT_EQ(get("/absent/").status, 404);
  EXPECT_EQ(get("/absent/", {{"Accept", "text/html"}}).body, "home");
  EXPECT_EQ(get("/assets").status, 301);
}

}  // namespace
}  // namespace eider
