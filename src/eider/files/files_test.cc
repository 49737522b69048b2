#include "eider/files/files.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <ctime>
#include <filesystem>
#include <fstream>
#include <string>

#include "eider/app/app.h"
#include "eider/base/failure.h"
#include "eider/testkit/test_client.h"

namespace eider {
namespace {

namespace fs = std::filesystem;

constexpr const char* kModified = "Sun, 06 Nov 1994 08:49:37 GMT";
constexpr std::time_t kModifiedSeconds = 784111777;

class FilesTest : public ::testing::Test {
 protected:
  FilesTest() {
    char name[] = "/tmp/eider-files-XXXXXX";
    base_ = mkdtemp(name);
    write("root/index.html", "<h1>home</h1>");
    write("root/css/site.css", "body {}");
    write("root/docs/index.html", "docs");
    write("root/bare/a b.txt", "blank");
    write("root/.env", "SECRET=1");
    write("root/.git/config", "secret");
    write("root/.well-known/security.txt", "Contact: mailto:a@example.org");
    write("root/big.bin", std::string(200000, 'x'));
    write("secret", "secret");
    fs::create_symlink("../secret", base_ / "root/outside");
    fs::create_symlink("css/site.css", base_ / "root/inside.css");
    mkfifo((base_ / "root/fifo").c_str(), 0600);
    serve_files(app_, "/", (base_ / "root").string(), {.bytes_max = 300000});
    serve_files(app_, "/static", (base_ / "root").string());
    app_.get("/css/route", [] { return "route"; });
  }
  ~FilesTest() override { fs::remove_all(base_); }

  void write(const std::string& path, const std::string& text) const {
    fs::create_directories((base_ / path).parent_path());
    std::ofstream(base_ / path) << text;
    const timespec times[] = {{kModifiedSeconds, 0}, {kModifiedSeconds, 999}};
    utimensat(AT_FDCWD, (base_ / path).c_str(), times, 0);
  }
  [[nodiscard]] Reply get(const std::string& target) const { return TestClient(app_).get(target); }
  [[nodiscard]] Reply get_since(const char* date) const {
    TestClient client(app_);
    return client.send({.target = "/css/site.css", .headers = {{"If-Modified-Since", date}}});
  }

  fs::path base_;
  App app_;
};

TEST_F(FilesTest, a_file_comes_with_its_type_and_its_date) {
  const Reply reply = get("/css/site.css");
  EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(reply.body, "body {}");
  EXPECT_EQ(reply.header("Content-Type"), "text/css; charset=utf-8");
  EXPECT_EQ(reply.header("Last-Modified"), kModified);
  EXPECT_EQ(reply.header("Cache-Control"), "no-cache");
  EXPECT_EQ(reply.header("X-Content-Type-Options"), "nosniff");
}

TEST_F(FilesTest, head_has_the_fields_without_the_bytes) {
  const Reply reply = TestClient(app_).head("/css/site.css");
  EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(reply.header("Content-Length"), "7");
  EXPECT_EQ(reply.header("Last-Modified"), kModified);
  EXPECT_EQ(reply.body, "");
}

TEST_F(FilesTest, what_has_not_changed_since_is_a_304_without_bytes) {
  for (const char* date : {kModified, "Sun, 06 Nov 1994 08:49:38 GMT",
                           "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994"}) {
    const Reply reply = get_since(date);
    EXPECT_EQ(reply.status, 304) << date;
    EXPECT_EQ(reply.body, "");
    EXPECT_EQ(reply.header("Last-Modified"), kModified);
  }
  for (const char* date : {"Sun, 06 Nov 1994 08:49:36 GMT", "yesterday", ""}) {
    EXPECT_EQ(get_since(date).status, 200) << date;
  }
}

TEST_F(FilesTest, if_none_match_takes_if_modified_since_away) {
  TestClient client(app_);
  const Reply reply = client.send(
      {.target = "/css/site.css",
       .headers = {{"If-Modified-Since", kModified}, {"If-None-Match", "\"another\""}}});
  EXPECT_EQ(reply.status, 200);
}

TEST_F(FilesTest, a_directory_is_its_index) {
  EXPECT_EQ(get("/").body, "<h1>home</h1>");
  EXPECT_EQ(get("/").header("Content-Type"), "text/html; charset=utf-8");
  EXPECT_EQ(get("/docs/").body, "docs");
  EXPECT_EQ(get("/static/docs/").body, "docs");
  EXPECT_EQ(get("/bare/").status, 404);
}

TEST_F(FilesTest, a_directory_without_its_slash_is_redirected_to_it) {
  const Reply reply = get("/docs?a=b");
  EXPECT_EQ(reply.status, 301);
  EXPECT_EQ(reply.header("Location"), "./docs/?a=b");
  EXPECT_EQ(get("/static/docs").header("Location"), "./docs/");
}

TEST_F(FilesTest, names_are_decoded_once) {
  EXPECT_EQ(get("/bare/a%20b.txt").body, "blank");
  EXPECT_EQ(get("/bare/a%2520b.txt").status, 404);
  EXPECT_EQ(get("/css%2Fsite.css").body, "body {}");
}

TEST_F(FilesTest, what_is_hidden_outside_or_no_file_is_not_there) {
  for (const char* target :
       {"/absent", "/.env", "/.git/config", "/css/.", "/css/..", "/%2eenv", "/../secret",
        "/%2e%2e/secret", "/..%2fsecret", "/css/..%2f..%2fsecret", "/outside", "/fifo", "//secret",
        "/%2Fetc%2Fpasswd", "/css/site.css/", "/static/.env", "/static//css/site.css", "/css/"}) {
    EXPECT_EQ(get(target).status, 404) << target;
    EXPECT_EQ(get(target).body.find("secret"), std::string::npos) << target;
  }
  EXPECT_EQ(get("/css%00/site.css").status, 400);
  EXPECT_EQ(get("/inside.css").body, "body {}");
  EXPECT_EQ(get("/.well-known/security.txt").status, 200);
  EXPECT_EQ(get("/css/.well-known").status, 404);
}

TEST_F(FilesTest, routes_are_more_specific) {
  EXPECT_EQ(get("/css/route").body, "route");
}

TEST_F(FilesTest, only_get_and_head_are_allowed) {
  TestClient client(app_);
  const Reply reply = client.send({.method = Method::put, .target = "/css/site.css"});
  EXPECT_EQ(reply.status, 405);
  EXPECT_EQ(reply.header("Allow"), "GET, HEAD, OPTIONS");
}

TEST_F(FilesTest, what_is_not_small_comes_from_the_blocking_pool_whole) {
  EXPECT_EQ(get("/big.bin").body, std::string(200000, 'x'));
}

TEST_F(FilesTest, what_is_too_large_is_not_served) {
  write("root/huge.bin", std::string(300001, 'x'));
  EXPECT_EQ(get("/huge.bin").status, 500);
}

TEST_F(FilesTest, an_empty_file_is_an_empty_body) {
  write("root/empty.txt", "");
  EXPECT_EQ(get("/empty.txt").status, 200);
  EXPECT_EQ(get("/empty.txt").header("Content-Length"), "0");
}

TEST_F(FilesTest, a_directory_that_is_not_there_is_told_at_the_start) {
  App app;
  const std::string absent = (base_ / "absent").string();
  try {
    serve_files(app, "/", absent);
    FAIL();
  } catch (const Failure& failure) {
    EXPECT_NE(std::string(failure.what()).find(absent), std::string::npos);
  }
}

}  // namespace
}  // namespace eider
