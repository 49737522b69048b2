#include "eider/web/files/file_server.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

#include "eider/core/base/failure.h"
#include "tests/support/served_directory.h"

namespace eider {
namespace {

namespace fs = std::filesystem;

class FilesTest : public ServedDirectory {
 protected:
  FilesTest() {
    write("root/index.html", "<h1>home</h1>");
    write("root/css/site.css", "body {}");
    write("root/docs/index.html", "docs");
    write("root/bare/a b.txt", "blank");
    write("root/bare/a\\b.txt", "backslash");
    write("root/.env", "SECRET=1");
    write("root/.git/config", "secret");
    write("root/.well-known/security.txt", "Contact: mailto:a@example.org");
    write("root/big.bin", std::string(1000000, 'x'));
    write("secret", "secret");
    fs::create_symlink("../secret", base_ / "root/outside");
    fs::create_symlink("css/site.css", base_ / "root/inside.css");
    mkfifo((base_ / "root/fifo").c_str(), 0600);
    serve({});
    serve({}, "/static");
    app_.get("/css/route", [] { return "route"; });
  }
};

TEST_F(FilesTest, a_file_comes_with_its_type_its_date_and_its_tag) {
  const TestResponse reply = get("/css/site.css");
  EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(reply.body, "body {}");
  EXPECT_EQ(reply.header("Content-Type"), "text/css; charset=utf-8");
  EXPECT_EQ(reply.header("Last-Modified"), kModified);
  EXPECT_EQ(reply.header("Cache-Control"), "no-cache");
  EXPECT_EQ(reply.header("X-Content-Type-Options"), "nosniff");
  EXPECT_EQ(reply.header("Accept-Ranges"), "bytes");
  EXPECT_EQ(reply.header("Vary"), std::nullopt);
  EXPECT_EQ(reply.header("ETag")->front(), '"');
  EXPECT_NE(get("/index.html").header("ETag"), reply.header("ETag"));
}

TEST_F(FilesTest, head_has_the_fields_without_the_bytes) {
  for (const char* target : {"/css/site.css", "/big.bin"}) {
    const TestResponse full = get(target);
    const TestResponse reply = head(target);
    EXPECT_EQ(reply.status, 200);
    EXPECT_EQ(reply.body, "");
    EXPECT_EQ(reply.header("Content-Length"), std::to_string(full.body.size()));
    for (const char* name : {"Content-Type", "ETag", "Last-Modified", "Accept-Ranges"}) {
      EXPECT_EQ(reply.header(name), full.header(name)) << name;
    }
  }
}

TEST_F(FilesTest, a_directory_is_its_index) {
  EXPECT_EQ(get("/").body, "<h1>home</h1>");
  EXPECT_EQ(get("/").header("Content-Type"), "text/html; charset=utf-8");
  EXPECT_EQ(get("/docs/").body, "docs");
  EXPECT_EQ(get("/static/docs/").body, "docs");
  EXPECT_EQ(get("/bare/").status, 404);
}

TEST_F(FilesTest, a_directory_without_its_slash_is_redirected_to_it) {
  const TestResponse reply = get("/docs?a=b&c=%0d%0a");
  EXPECT_EQ(reply.status, 301);
  EXPECT_EQ(reply.header("Location"), "./docs/?a=b&c=%0d%0a");
  EXPECT_EQ(get("/static/docs").header("Location"), "./docs/");
}

TEST_F(FilesTest, no_redirect_leads_to_another_host) {
  fs::create_directory(base_ / "root/evil.org");
  fs::create_directory(base_ / "root/https:");
  fs::create_directory(base_ / "root/\\evil.org");
  for (const char* target :
       {"/evil.org", "//evil.org", "///evil.org", "/%2fevil.org", "/%2f%2fevil.org",
        "/https:", "/https:%2f%2fevil.org", "/\\evil.org", "/%5cevil.org", "/docs//evil.org/..",
        "/static//docs", "/./docs", "/.%2fdocs"}) {
    const TestResponse reply = get(target);
    const auto location = reply.header("Location");
    EXPECT_TRUE(!location || location->starts_with("./")) << target;
    EXPECT_TRUE(!location || location->substr(2).find("//") == std::string_view::npos) << target;
  }
  EXPECT_EQ(get("/evil.org").header("Location"), "./evil.org/");
}

TEST_F(FilesTest, names_are_decoded_once) {
  EXPECT_EQ(get("/bare/a%20b.txt").body, "blank");
  EXPECT_EQ(get("/bare/a%2520b.txt").status, 404);
  EXPECT_EQ(get("/bare/a%5Cb.txt").body, "backslash");
  // The router, and so guards, do not split at an encoded slash: the file server must not either.
  EXPECT_EQ(get("/css%2Fsite.css").status, 404);
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

// For every spelling of "..", the response is an error without the secret.
TEST_F(FilesTest, no_spelling_leads_out) {
  constexpr const char* kUps[] = {"..",
                                  "%2e%2e",
                                  ".%2e",
                                  "%2E.",
                                  "%252e%252e",
                                  "%25%32%65%2e",
                                  "..%00",
                                  "..\\",
                                  "..%5c",
                                  "%c0%ae%c0%ae",
                                  "%e0%80%ae%2e",
                                  "%uff0e%uff0e",
                                  "..;",
                                  "...",
                                  "..%20",
                                  "%2e%2e%2f%2e%2e",
                                  "\xC0\xAE\xC0\xAE",
                                  "%ef%bc%8e%ef%bc%8e"};
  constexpr const char* kSlashes[] = {"/",  "%2f",   "%2F",    "\\", "%5c",
                                      "//", "%252f", "%c0%af", "/./"};
  for (const char* up : kUps) {
    for (const char* slash : kSlashes) {
      const std::string step = std::string(up) + slash;
      for (const std::string& target :
           {"/" + step + "secret", "/" + step + step + "secret", "/css/" + step + step + "secret",
            "/css/" + step + step + step + "etc/passwd", "/static/" + step + "secret",
            "/css" + std::string(slash) + step + step + "secret"}) {
        const TestResponse reply = get(target);
        EXPECT_GE(reply.status, 400) << target;
        EXPECT_LT(reply.status, 500) << target;
        EXPECT_NE(reply.body, "secret") << target;
      }
    }
  }
}

TEST_F(FilesTest, routes_are_more_specific) {
  EXPECT_EQ(get("/css/route").body, "route");
}

TEST_F(FilesTest, only_get_and_head_are_allowed) {
  TestClient client(app_);
  for (const Method method : {Method::put, Method::post, Method::delete_, Method::patch}) {
    const TestResponse reply = client.send({.method = method, .target = "/css/site.css"});
    EXPECT_EQ(reply.status, 405);
    EXPECT_EQ(reply.header("Allow"), "GET, HEAD, OPTIONS");
  }
}

TEST_F(FilesTest, a_large_file_comes_whole) {
  EXPECT_EQ(get("/big.bin").body, std::string(1000000, 'x'));
}

TEST_F(FilesTest, an_empty_file_is_an_empty_body) {
  write("root/empty.txt", "");
  EXPECT_EQ(get("/empty.txt").status, 200);
  EXPECT_EQ(get("/empty.txt").header("Content-Length"), "0");
  EXPECT_EQ(get("/empty.txt", {{"Range", "bytes=0-"}}).status, 200);
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

TEST_F(FilesTest, a_value_that_is_none_is_told_at_the_start) {
  App app;
  EXPECT_THROW(serve_files(app, "/", base_.string(), {.cache_control = "a\r\nb: c"}), Failure);
  EXPECT_THROW(serve_files(app, "/", base_.string(), {.cache_rules = {{"*", " a"}}}), Failure);
  EXPECT_THROW(serve_files(app, "/", base_.string(), {.type_rules = {{"*", "a\n"}}}), Failure);
}

TEST_F(FilesTest, a_guard_keeps_them) {
  Routes group = app_.group("/private");
  group.guard([](Header<"who", std::optional<std::string_view>> who) -> Result<void> {
    return *who ? Result<void>() : fail(Error::unauthorized("Who are you?"));
  });
  serve_files(group, "/files", (base_ / "root").string());
  for (const char* target :
       {"/private/files/css/site.css", "/private/files/big.bin", "/private/files/none"}) {
    EXPECT_EQ(get(target).status, 401) << target;
    EXPECT_EQ(head(target).status, 401) << target;
  }
  EXPECT_EQ(get("/private/files/css/site.css", {{"Who", "ann"}}).body, "body {}");
  EXPECT_EQ(get("/private/files/big.bin", {{"Who", "ann"}}).body, std::string(1000000, 'x'));
}

class GuardedFolderTest : public ServedDirectory {
 protected:
  GuardedFolderTest() {
    write("root/index.html", "home");
    for (const char* name : {"secret.txt", "secret.txt.gz", "index.html", "deep/secret.txt"}) {
      write(std::string("root/admin/") + name, "secret");
    }
  }

  // The guarded folder is also below the root of the files that everyone may read.
  void add_files(Routes& routes) {
    Routes admin = routes.group("/admin");
    admin.guard([]() -> Result<void> { return fail(Error::forbidden("Not for you.")); });
    serve_files(admin, "/", (base_ / "root/admin").string());
    serve_files(routes, "/", (base_ / "root").string(),
                {.fallback = "index.html", .listing = DirectoryListing::html});
  }

  void expect_no_secret(const std::string& mount) {
    EXPECT_EQ(get(mount + "/admin/secret.txt").status, 403);
    EXPECT_EQ(get(mount + "/%61dmin/secret.txt").status, 403);
    for (const char* path :
         {"/admin%2Fsecret.txt", "/admin%2fsecret.txt", "/%61dmin%2fsecret.txt",
          "/admin%2F%73ecret.txt", "/admin%2F", "/admin%2Findex.html", "/admin%2Fsecret.txt.gz",
          "/admin%2Fdeep", "/admin%2Fdeep/", "/admin%2Fdeep/secret.txt",
          "/admin%2Fdeep%2Fsecret.txt", "/admin%2F/secret.txt", "/admin%2F.%2Fsecret.txt",
          "/.%2Fadmin/secret.txt"}) {
      const TestResponse reply =
          get(mount + path, {{"Accept", "text/html"}, {"Accept-Encoding", "gzip"}});
      EXPECT_EQ(reply.status, 404) << path;
      EXPECT_EQ(reply.body.find("secret"), std::string::npos) << path;
      EXPECT_EQ(get(mount + path, {{"Range", "bytes=0-1"}}).status, 404) << path;
      EXPECT_EQ(head(mount + path).status, 404) << path;
    }
  }
};

TEST_F(GuardedFolderTest, an_encoded_slash_does_not_bypass_its_guard) {
  add_files(app_);
  expect_no_secret("");
}

TEST_F(GuardedFolderTest, an_encoded_slash_does_not_bypass_its_guard_in_a_mounted_app) {
  App sub;
  add_files(sub);
  app_.mount("/sub", std::move(sub));
  expect_no_secret("/sub");
}

TEST_F(GuardedFolderTest, an_encoded_slash_is_allowed_before_the_path_of_a_file) {
  auto server = std::make_shared<FileServer>(*FileServer::open((base_ / "root").string()));
  app_.get("/by/{user}/{path...}",
           [server](const std::string&, std::string path, const Request& request) {
             return server->serve(std::move(path), request);
           });
  EXPECT_EQ(get("/by/a%2Fb/admin/secret.txt").body, "secret");
  EXPECT_EQ(get("/by/a%2Fb/admin%2Fsecret.txt").status, 404);
}

}  // namespace
}  // namespace eider
