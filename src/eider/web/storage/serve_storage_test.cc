// Routes of a storage: downloads, and signed URLs for both directions.
#include "eider/web/storage/serve_storage.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdio>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "eider/app/app.h"
#include "eider/core/base/failure.h"
#include "eider/core/json/json.h"
#include "eider/testkit/log_lines.h"
#include "eider/testkit/temp_directory.h"
#include "eider/testkit/test_client.h"
#include "eider/web/middleware/access_log.h"

namespace eider {
namespace {

using namespace std::chrono_literals;

struct UrlRequest {
  std::string key;
  std::int64_t seconds = 600;
  std::string type = "";
  std::optional<std::uint64_t> bytes = std::nullopt;
  std::string filename = "";
  std::uint64_t bytes_max = 100;
};

class ServeStorage : public ::testing::Test {
 protected:
  ServeStorage() {
    app_.log_to(nullptr);
    app_.state(storage_);
    serve_storage(app_, "/files", storage_);
    serve_storage(app_, "/public", storage_,
                  {.access = StorageAccess::all, .key_prefix = "public/"});
    serve_storage(app_, "/guarded", storage_, {.access = StorageAccess::all})
        .guard([](Header<"X-User", std::optional<std::string>> user) -> Result<void> {
          return *user ? Result<void>() : fail(Error::unauthorized("Log in."));
        });
    app_.post("/put", [](Multipart form, State<Storage> storage) -> Task<StoredObject> {
      auto part = co_await form.next();
      const std::string key = part->name;
      co_return co_await storage->put(key, *part);
    });
    app_.post("/download-url", [](Json<UrlRequest> its, State<Storage> storage) {
      return storage->download_url(
          its->key, {.expires_in = std::chrono::seconds(its->seconds), .filename = its->filename});
    });
    app_.post("/upload-url", [](Json<UrlRequest> its, State<Storage> storage) {
      return storage->upload_url(its->key, {.expires_in = std::chrono::seconds(its->seconds),
                                            .content_type = its->type,
                                            .bytes = its->bytes});
    });
    app_.post("/upload-form", [](Json<UrlRequest> its, State<Storage> storage) {
      return Json(storage->upload_form(its->key, {.expires_in = std::chrono::seconds(its->seconds),
                                                  .content_type = its->type,
                                                  .bytes_max = its->bytes_max}));
    });
    client_.emplace(app_);
  }

  void put(const std::string& key, const std::string& filename, const std::string& type,
           const std::string& bytes) {
    MultipartForm form;
    form.add_file(key, filename, type, bytes);
    const TestResponse reply = client_->post_form("/put", form);
    ASSERT_EQ(reply.status, 200) << reply.body;
  }
  std::string url(const std::string& how, const UrlRequest& request) {
    return client_->post("/" + how + "-url", request).body;
  }
  TestResponse send(Method method, const std::string& target, std::string body = {},
                    std::vector<TestHeader> headers = {}) {
    return client_->send({.method = method,
                          .target = target,
                          .headers = std::move(headers),
                          .body = std::move(body)});
  }
  TestResponse post_form(const UploadForm& form, const std::string& type,
                         const std::string& bytes) {
    MultipartForm filled;
    for (const UploadForm::Field& field : form.fields) {
      filled.add(field.name, field.value);
    }
    filled.add_file("file", "a.bin", type, bytes);
    return client_->post_form(form.url, filled);
  }

  TempDirectory temporary_;
  Storage storage_{StorageOptions{.directory = temporary_.path() / "storage"}};
  App app_;
  std::optional<TestClient> client_;
};

TEST_F(ServeStorage, file_of_a_user_is_saved_and_never_displayed) {
  put("public/a", "page<1>.html", "text/html", "<script>alert(1)</script>");
  const TestResponse reply = client_->get("/public/a");
  EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(reply.body, "<script>alert(1)</script>");
  EXPECT_EQ(reply.header("Content-Type"), "application/octet-stream");
  EXPECT_EQ(reply.header("X-Content-Type-Options"), "nosniff");
  EXPECT_EQ(reply.header("Content-Disposition"),
            "attachment; filename=\"page_1_.html\"; filename*=UTF-8''page_1_.html");
  EXPECT_EQ(reply.header("Cache-Control"), "private, no-cache");
}

TEST_F(ServeStorage, type_of_a_client_that_is_no_text_is_not_stored) {
  put("public/a", "a.png", "text/\xff", "x");
  const TestResponse reply = client_->get("/public/a");
  EXPECT_EQ(reply.header("Content-Type"), "image/png");
  EXPECT_EQ(reply.body, "x");
  const std::string signed_url = url("upload", {.key = "public/b"});
  EXPECT_EQ(send(Method::put, signed_url, "x", {{"Content-Type", "text/\xff"}}).status, 415);
  EXPECT_EQ(client_->get("/public/b").status, 404);
}

TEST_F(ServeStorage, picture_is_displayed_but_no_svg) {
  put("public/a", "a.png", "image/png", "png");
  put("public/b", "b.svg", "image/svg+xml", "svg");
  put("public/c", "c.mp4", "video/mp4", "mp4");
  const TestResponse picture = client_->get("/public/a");
  EXPECT_EQ(picture.header("Content-Type"), "image/png");
  EXPECT_EQ(picture.header("Content-Disposition"), std::nullopt);
  EXPECT_EQ(picture.header("X-Content-Type-Options"), "nosniff");
  EXPECT_EQ(client_->get("/public/b").header("Content-Type"), "application/octet-stream");
  EXPECT_EQ(client_->get("/public/c").header("Content-Type"), "video/mp4");
}

TEST_F(ServeStorage, type_that_browsers_could_understand_as_html_is_not_sent) {
  const std::vector<std::string> types = {"video/x,text/html",
                                          "image/png;,text/html",
                                          "image/png; a=\"b,text/html\"",
                                          "text/plain;x,text/html",
                                          "image/png, text/html",
                                          "video/mp4;\ttext/html",
                                          "text/plain; a=",
                                          "video/",
                                          "video/mp4 text/html"};
  for (const std::string& type : types) {
    // A form part: the type is that of the filename.
    put("public/a", "a.bin", type, "x");
    EXPECT_EQ(client_->get("/public/a").header("Content-Type"), "application/octet-stream") << type;
    const auto form = client_->post("/upload-form", UrlRequest{.key = "public/b"});
    EXPECT_EQ(post_form(form.json<UploadForm>(), type, "x").status, 400) << type;
    const std::string any = url("upload", {.key = "public/b", .type = "video/x"});
    EXPECT_EQ(send(Method::put, any, "x", {{"Content-Type", type}}).status, 415) << type;
    EXPECT_EQ(client_->get("/public/b").status, 404) << type;
    // An object that another program has stored.
    const std::string json = R"({"content_type":)" + json::to_text(type) +
                             R"(,"etag":"\"1\"","modified_seconds":1,"filename":"",)"
                             R"("metadata":{}})";
    char length[9];
    std::snprintf(length, sizeof(length), "%08zx", json.size());
    std::ofstream(temporary_.path() / "storage/objects/public/c")
        << "<script>" << json << length << "\nEIDEROBJ";
    const TestResponse read = client_->get("/public/c");
    EXPECT_EQ(read.body, "<script>") << type;
    EXPECT_EQ(read.header("Content-Type"), "application/octet-stream") << type;
    EXPECT_TRUE(read.header("Content-Disposition")->starts_with("attachment")) << type;
  }
  for (const std::string type : {"audio/x+xml", "video/svg+XML; a=b", "image/svg+xml"}) {
    put("public/a", "a.bin", type, "x");
    EXPECT_EQ(client_->get("/public/a").header("Content-Type"), "application/octet-stream") << type;
  }
}

TEST_F(ServeStorage, parameters_of_a_type_are_not_sent_except_the_charset_of_text) {
  put("public/a", "a.txt", "text/plain; x=\"y\"; Charset=utf-8", "x");
  EXPECT_EQ(client_->get("/public/a").header("Content-Type"), "text/plain; charset=utf-8");
  put("public/a", "a.png", "Image/PNG; charset=utf-8; a=b", "x");
  EXPECT_EQ(client_->get("/public/a").header("Content-Type"), "Image/PNG");
}

TEST_F(ServeStorage, ranges_and_preconditions_are_as_of_files) {
  put("public/a", "a.png", "image/png", "0123456789");
  const TestResponse whole = client_->get("/public/a");
  const std::string etag(whole.header("ETag").value_or(""));
  EXPECT_EQ(whole.header("Accept-Ranges"), "bytes");
  EXPECT_EQ(whole.header("Content-Length"), "10");
  const TestResponse part = client_->get("/public/a", {{"Range", "bytes=2-4"}});
  EXPECT_EQ(part.status, 206);
  EXPECT_EQ(part.body, "234");
  EXPECT_EQ(part.header("Content-Range"), "bytes 2-4/10");
  EXPECT_EQ(part.header("Content-Type"), "image/png");
  put("public/b", "b.png", "image/png", std::string(2000, 'x') + "9");
  const TestResponse parts = client_->get("/public/b", {{"Range", "bytes=0-0,-1"}});
  EXPECT_EQ(parts.status, 206);
  EXPECT_TRUE(parts.body.contains("Content-Range: bytes 2000-2000/2001\r\n\r\n9\r\n"))
      << parts.body;
  EXPECT_EQ(client_->get("/public/a", {{"Range", "bytes=10-"}}).status, 416);
  EXPECT_EQ(client_->get("/public/a", {{"If-None-Match", etag}}).status, 304);
  EXPECT_EQ(client_->get("/public/a", {{"If-Match", "\"x\""}}).status, 412);
  EXPECT_EQ(client_->get("/public/a", {{"Range", "bytes=2-4"}, {"If-Range", "\"x\""}}).body,
            "0123456789");
  const TestResponse head = client_->head("/public/a");
  EXPECT_EQ(head.status, 200);
  EXPECT_EQ(head.header("Content-Length"), "10");
  EXPECT_EQ(head.body, "");
}

TEST_F(ServeStorage, only_keys_with_the_prefix_are_public) {
  put("secret", "a", "text/plain", "x");
  EXPECT_EQ(client_->get("/public/secret").status, 404);
  EXPECT_EQ(client_->get("/public/../secret").status, 404);
  EXPECT_EQ(client_->get("/public/%2e%2e/secret").status, 404);
  EXPECT_EQ(client_->get("/public/..%2fsecret").status, 404);
  EXPECT_EQ(client_->get("/public/a%00b").status, 400);
  EXPECT_EQ(client_->get("/files/secret").status, 403);
}

// Guards of the group "/public/a" would not see such a request.
TEST_F(ServeStorage, encoded_slashes_do_not_separate_folders) {
  put("public/a/b", "b", "text/plain", "x");
  EXPECT_EQ(client_->get("/public/a/b").body, "x");
  EXPECT_EQ(client_->get("/public/a%2Fb").status, 404);
  EXPECT_EQ(client_->get("/public/%61%2fb").status, 404);
  std::string encoded = url("download", {.key = "public/a/b"});
  EXPECT_EQ(client_->get(encoded).body, "x");
  encoded.replace(encoded.find("a/b"), 3, "a%2Fb");
  EXPECT_EQ(client_->get(encoded).status, 404);
}

TEST_F(ServeStorage, guards_apply) {
  put("a", "a", "text/plain", "x");
  EXPECT_EQ(client_->get("/guarded/a").status, 401);
  EXPECT_EQ(client_->get("/guarded/a", {{"X-User", "ann"}}).body, "x");
}

TEST_F(ServeStorage, download_url_is_for_one_key_until_it_expires) {
  put("a b/ü", "a", "text/plain", "x");
  put("c", "c", "text/plain", "y");
  const std::string signed_url = url("download", {.key = "a b/ü", .filename = "Rechnung.txt"});
  EXPECT_TRUE(signed_url.starts_with("/files/a%20b/%C3%BC?allows=download&expires=")) << signed_url;
  const TestResponse reply = client_->get(signed_url);
  EXPECT_EQ(reply.body, "x");
  EXPECT_TRUE(reply.header("Content-Disposition")->contains("Rechnung.txt"));
  EXPECT_EQ(client_->get(signed_url, {{"Range", "bytes=0-0"}}).status, 206);
  EXPECT_EQ(client_->head(signed_url).status, 200);
  const std::string query = signed_url.substr(signed_url.find('?'));
  EXPECT_EQ(client_->get("/files/c" + query).status, 403);
  EXPECT_EQ(client_->get(signed_url + "0").status, 403);
  EXPECT_EQ(client_->get(signed_url + "&x=y").status, 403);
  EXPECT_EQ(client_->get("/files/a%20b/%C3%BC?x=y&" + query.substr(1)).status, 403);
  EXPECT_EQ(send(Method::put, signed_url, "z").status, 403);
  client_->advance(601s);
  EXPECT_EQ(client_->get(signed_url).status, 403);
}

TEST_F(ServeStorage, upload_url_has_its_type_and_size) {
  const std::string signed_url = url("upload", {.key = "a", .type = "image/png", .bytes = 3});
  const std::vector<TestHeader> png = {{"Content-Type", "image/png"}};
  EXPECT_EQ(send(Method::put, signed_url, "abc", {{"Content-Type", "text/html"}}).status, 415);
  EXPECT_EQ(send(Method::put, signed_url, "abcd", png).status, 400);
  EXPECT_EQ(send(Method::put, signed_url, "ab", png).status, 400);
  EXPECT_EQ(client_->get("/guarded/a", {{"X-User", "ann"}}).status, 404);
  const TestResponse stored = send(Method::put, signed_url, "abc", png);
  EXPECT_EQ(stored.status, 200) << stored.body;
  const TestResponse read = client_->get("/guarded/a", {{"X-User", "ann"}});
  EXPECT_EQ(read.body, "abc");
  EXPECT_EQ(read.header("ETag"), stored.header("ETag"));
  EXPECT_EQ(read.header("Content-Type"), "image/png");
  EXPECT_EQ(client_->get(signed_url).status, 403) << "it allows no download";
  client_->advance(601s);
  EXPECT_EQ(send(Method::put, signed_url, "abc", png).status, 403);
}

TEST_F(ServeStorage, upload_url_without_a_type_is_for_bytes) {
  const std::string signed_url = url("upload", {.key = "a"});
  EXPECT_EQ(send(Method::put, signed_url, "x", {{"Content-Type", "image/png"}}).status, 415);
  EXPECT_EQ(send(Method::put, signed_url, "x").status, 200);
  const std::vector<TestHeader> bytes = {{"Content-Type", "application/octet-stream"}};
  EXPECT_EQ(send(Method::put, signed_url, "xy", bytes).status, 200);
  EXPECT_EQ(client_->get("/guarded/a", {{"X-User", "ann"}}).body, "xy");
}

TEST_F(ServeStorage, upload_without_length_is_411_if_the_size_is_fixed) {
  const std::string signed_url = url("upload", {.key = "a", .bytes = 3});
  const std::string reply = client_->raw("PUT " + signed_url +
                                         " HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n"
                                         "Connection: close\r\n\r\n3\r\nabc\r\n0\r\n\r\n");
  EXPECT_TRUE(reply.starts_with("HTTP/1.1 411 ")) << reply;
}

TEST_F(ServeStorage, upload_form_has_its_type_and_limit) {
  const auto form =
      client_->post("/upload-form", UrlRequest{.key = "p", .type = "image/*"}).json<UploadForm>();
  EXPECT_EQ(form.url, "/files");
  EXPECT_EQ(post_form(form, "text/html", "x").status, 415);
  EXPECT_EQ(post_form(form, "image/png", std::string(101, 'x')).status, 413);
  EXPECT_EQ(post_form(form, "image/png", std::string(100, 'x')).status, 204);
  EXPECT_EQ(client_->get("/guarded/p", {{"X-User", "ann"}}).body.size(), 100U);
  UploadForm other = form;
  other.fields[0].value = "q";
  EXPECT_EQ(post_form(other, "image/png", "x").status, 403);
  client_->advance(601s);
  EXPECT_EQ(post_form(form, "image/png", "x").status, 403);
  EXPECT_EQ(client_->post_form("/files", MultipartForm()).status, 400);
}

TEST_F(ServeStorage, urls_survive_a_restart) {
  put("a", "a", "text/plain", "x");
  const std::string signed_url = url("download", {.key = "a"});
  client_.reset();
  App next;
  next.log_to(nullptr);
  serve_storage(next, "/files", Storage({.directory = temporary_.path() / "storage"}));
  EXPECT_EQ(TestClient(next).get(signed_url).body, "x");
  App other;
  other.log_to(nullptr);
  serve_storage(other, "/files", Storage({.directory = temporary_.path() / "other"}));
  EXPECT_EQ(TestClient(other).get(signed_url).status, 403);
}

TEST_F(ServeStorage, urls_of_a_mounted_app_contain_its_path) {
  const Storage storage(StorageOptions{.directory = temporary_.path() / "mounted"});
  App inner;
  Routes api = inner.group("/api");
  serve_storage(api, "/files", storage);
  serve_storage(inner, "/other", storage);  // the first one is used
  inner.state(storage);
  inner.get("/urls", [](State<Storage> its) {
    return std::vector{its->upload_url("a"), its->download_url("a"), its->upload_form("b").url};
  });
  inner.get("/form", [](State<Storage> its) { return Json(its->upload_form("b")); });
  App outer;
  outer.mount("/admin", std::move(inner));
  App app;
  app.mount("/tools", std::move(outer));
  client_.emplace(app);
  const auto urls = client_->get("/tools/admin/urls").json<std::vector<std::string>>();
  for (const std::string& each : urls) {
    EXPECT_TRUE(each.starts_with("/tools/admin/api/files")) << each;
  }
  EXPECT_EQ(send(Method::put, urls[0], "bytes").status, 200);
  EXPECT_EQ(client_->get(urls[1]).body, "bytes");
  const auto form = client_->get("/tools/admin/form").json<UploadForm>();
  EXPECT_EQ(post_form(form, "text/plain", "more").status, 204);
}

TEST_F(ServeStorage, signature_is_not_in_the_access_log) {
  const auto by_route = std::make_shared<LogLines>();
  const auto by_name = std::make_shared<LogLines>();
  App app;
  app.log_to(nullptr);
  app.observe(access_log(by_route, AccessFormat::text, {}));
  app.observe(access_log(by_name, AccessFormat::text));
  serve_storage(app, "/files", storage_);
  TestClient client(app);
  client.get(url("download", {.key = "a"}));
  ASSERT_FALSE(by_route->lines.empty());
  EXPECT_TRUE(by_route->lines.back().contains("/files/a?hidden")) << by_route->lines.back();
  // Requests that reach no route of signed URLs.
  for (const std::string name : {"signature", "X-Amz-Signature"}) {
    client.get("/public/a?x=y&" + name + "=secret");
    EXPECT_TRUE(by_name->lines.back().contains("/public/a?hidden")) << by_name->lines.back();
  }
}

TEST_F(ServeStorage, conditions_of_an_upload_are_not_ignored) {
  const std::string signed_url = url("upload", {.key = "a"});
  const std::vector<TestHeader> only_new = {{"If-None-Match", "*"}};
  EXPECT_EQ(send(Method::put, signed_url, "x", only_new).status, 200);
  EXPECT_EQ(send(Method::put, signed_url, "y", only_new).status, 412);
  EXPECT_EQ(send(Method::put, signed_url, "y", {{"If-None-Match", "\"e\""}}).status, 501);
  EXPECT_EQ(send(Method::put, signed_url, "y", {{"If-Match", "\"e\""}}).status, 501);
  EXPECT_EQ(
      send(Method::put, signed_url, "y", {{"If-Unmodified-Since", "Fri, 24 May 2013 00:00:00 GMT"}})
          .status,
      501);
  EXPECT_EQ(send(Method::put, signed_url, "y", {{"Content-Range", "bytes 0-0/2"}}).status, 400);
  const std::string below = url("upload", {.key = "a/b"});
  EXPECT_EQ(send(Method::put, below, "y", only_new).status, 409) << "another conflict";
  EXPECT_EQ(client_->get("/guarded/a", {{"X-User", "ann"}}).body, "x");
}

TEST_F(ServeStorage, url_of_another_storage_with_the_same_signing_key_is_not_valid) {
  const auto open_storage = [this](const std::string& name, const std::string& public_url) {
    return Storage({.directory = temporary_.path() / name,
                    .signing_key = Secret(std::string(32, 'k')),
                    .public_url = public_url});
  };
  const Storage one = open_storage("one", "");
  App app;
  app.log_to(nullptr);
  serve_storage(app, "/one", one);
  serve_storage(app, "/two", open_storage("two", ""));
  app.get("/sign", [one] { return one.download_url("a"); });
  app.get("/form", [one] { return Json(one.upload_form("a", {.bytes_max = 10})); });
  App public_app;
  public_app.log_to(nullptr);
  serve_storage(public_app, "/one", open_storage("three", "https://example.org"));
  TestClient client(app);
  const std::string signed_url = client.get("/sign").body;
  ASSERT_TRUE(signed_url.starts_with("/one/a?")) << signed_url;
  EXPECT_EQ(client.get(signed_url).status, 404) << "the signature is valid, without an object";
  EXPECT_EQ(client.get("/two" + signed_url.substr(4)).status, 403);
  auto form = client.get("/form").json<UploadForm>();
  MultipartForm filled;
  for (const UploadForm::Field& field : form.fields) {
    filled.add(field.name, field.value);
  }
  filled.add_file("file", "a.bin", "image/png", "x");
  EXPECT_EQ(client.post_form("/two", filled).status, 403);
  EXPECT_EQ(client.post_form("/one", filled).status, 204);
  EXPECT_EQ(TestClient(public_app).get(signed_url).status, 403);
}

TEST_F(ServeStorage, prefix_without_a_slash_is_rejected_at_startup) {
  App app;
  try {
    serve_storage(app, "/a", storage_, {.access = StorageAccess::all, .key_prefix = "public"});
    ADD_FAILURE() << "the prefix would include public-drafts/";
  } catch (const Failure& failure) {
    EXPECT_TRUE(failure.error().cause().contains("\"public/\"")) << failure.error().cause();
  }
}

TEST_F(ServeStorage, invalid_etag_of_another_program_becomes_a_weak_one_of_the_version) {
  put("public/a", "a.txt", "text/plain", "x");
  const auto etag_of = [this](const std::string& text) {
    const std::string json = R"({"content_type":"text/plain","etag":"none","modified_seconds":7,)"
                             R"("filename":"","metadata":{}})";
    char length[9];
    std::snprintf(length, sizeof(length), "%08zx", json.size());
    std::ofstream(temporary_.path() / "storage/objects/public/a")
        << text << json << length << "\nEIDEROBJ";
    return std::string(client_->get("/public/a").header("ETag").value_or(""));
  };
  EXPECT_EQ(etag_of("x"), "W/\"1-7\"");
  EXPECT_EQ(etag_of("xy"), "W/\"2-7\"");
}

TEST_F(ServeStorage, lifetime_of_urls_is_limited) {
  EXPECT_EQ(client_->post("/download-url", UrlRequest{.key = "a", .seconds = 0}).status, 500);
  EXPECT_EQ(client_->post("/download-url", UrlRequest{.key = "a", .seconds = 604'801}).status, 500);
  EXPECT_EQ(client_->post("/download-url", UrlRequest{.key = "a", .seconds = 604'800}).status, 200);
  EXPECT_EQ(client_->post("/download-url", UrlRequest{.key = "../a"}).status, 400);
}

}  // namespace
}  // namespace eider
