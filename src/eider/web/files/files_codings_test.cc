#include <gtest/gtest.h>

#include <string>

#include "tests/support/served_directory.h"

namespace eider {
namespace {

class FilesCodingsTest : public ServedDirectory {
 protected:
  FilesCodingsTest() {
    write("root/a.css", std::string(400, 'a'));
    write("root/a.css.br", std::string(40, 'b'));
    write("root/a.css.zst", std::string(50, 'z'));
    write("root/a.css.gz", std::string(60, 'g'));
    write("root/gz.js", "plain");
    write("root/gz.js.gz", "gzipped");
    write("root/a.png", "picture");
    write("root/a.png.gz", "no use");
    serve({});
  }

  [[nodiscard]] std::string first_of(const std::string& target, std::string_view accept) const {
    return get(target, {{"Accept-Encoding", accept}}).body.substr(0, 1);
  }
};

TEST_F(FilesCodingsTest, the_smallest_of_what_the_client_likes_best_is_sent) {
  const std::pair<const char*, const char*> rows[] = {
      {"gzip, deflate, br, zstd", "b"},
      {"gzip", "g"},
      {"zstd, gzip", "z"},
      {"br;q=0.1, gzip", "g"},
      {"br;q=0", "a"},
      {"*", "b"},
      {"br;q=0, *", "z"},
      {"identity", "a"},
      {"", "a"},
      {"gzip;q=0.5, identity", "a"},
      {"GZIP", "g"},
      {"x-gzip", "g"},
      {"deflate", "a"},
      {"*;q=0", "a"},
      {"gzip;q=x", "a"},
      {"identity;q=0", "a"},
  };
  for (const auto& [accept, first] : rows) {
    EXPECT_EQ(first_of("/a.css", accept), first) << accept;
  }
  EXPECT_EQ(get("/a.css").body, std::string(400, 'a'));
}

TEST_F(FilesCodingsTest, a_sibling_has_the_type_of_its_file_and_a_tag_of_its_own) {
  const TestResponse plain = get("/a.css");
  const TestResponse coded = get("/a.css", {{"Accept-Encoding", "br"}});
  EXPECT_EQ(coded.header("Content-Encoding"), "br");
  EXPECT_EQ(coded.header("Content-Type"), "text/css; charset=utf-8");
  EXPECT_EQ(coded.header("Content-Length"), "40");
  EXPECT_EQ(coded.header("Vary"), "Accept-Encoding");
  EXPECT_EQ(plain.header("Vary"), "Accept-Encoding");
  EXPECT_EQ(plain.header("Content-Encoding"), std::nullopt);
  EXPECT_NE(coded.header("ETag"), plain.header("ETag"));
  const std::string tag(*coded.header("ETag"));
  const TestResponse same = get("/a.css", {{"Accept-Encoding", "br"}, {"If-None-Match", tag}});
  EXPECT_EQ(same.status, 304);
  EXPECT_EQ(same.header("Vary"), "Accept-Encoding");
  EXPECT_EQ(get("/a.css", {{"If-None-Match", tag}}).status, 200);
}

TEST_F(FilesCodingsTest, a_sibling_by_its_own_name_is_a_file_like_others) {
  const TestResponse reply = get("/a.css.gz");
  EXPECT_EQ(reply.header("Content-Type"), "application/gzip");
  EXPECT_EQ(reply.header("Content-Encoding"), std::nullopt);
  EXPECT_EQ(reply.header("Vary"), std::nullopt);
}

TEST_F(FilesCodingsTest, what_is_compressed_by_itself_has_no_siblings) {
  const TestResponse reply = get("/a.png", {{"Accept-Encoding", "gzip"}});
  EXPECT_EQ(reply.body, "picture");
  EXPECT_EQ(reply.header("Vary"), std::nullopt);
}

TEST_F(FilesCodingsTest, a_sibling_without_its_file_is_not_there) {
  write("root/alone.css.gz", "x");
  EXPECT_EQ(get("/alone.css", {{"Accept-Encoding", "gzip"}}).status, 404);
}

TEST_F(FilesCodingsTest, ranges_are_those_of_what_is_sent) {
  const TestResponse one = get("/a.css", {{"Accept-Encoding", "gzip"}, {"Range", "bytes=58-"}});
  EXPECT_EQ(one.status, 206);
  EXPECT_EQ(one.header("Content-Range"), "bytes 58-59/60");
  EXPECT_EQ(one.header("Content-Encoding"), "gzip");
  const TestResponse whole =
      get("/a.css", {{"Accept-Encoding", "gzip"}, {"Range", "bytes=0-0,-1"}});
  EXPECT_EQ(whole.status, 206);  // adjacent ranges are merged
  write("root/b.css", "b");
  write("root/b.css.gz", std::string(1000, 'g'));
  const TestResponse many = get("/b.css", {{"Accept-Encoding", "gzip"}, {"Range", "bytes=0-0,-1"}});
  EXPECT_EQ(many.status, 200);
  EXPECT_EQ(many.body, std::string(1000, 'g'));
}

TEST_F(FilesCodingsTest, siblings_are_not_looked_for_when_that_is_told) {
  App app;
  serve_files(app, "/", (base_ / "root").string(), {.precompressed = Precompressed::ignored});
  TestClient client(app);
  const TestResponse reply =
      client.send({.target = "/a.css", .headers = {{"Accept-Encoding", "br"}}});
  EXPECT_EQ(reply.body.front(), 'a');
  EXPECT_EQ(reply.header("Vary"), std::nullopt);
}

}  // namespace
}  // namespace eider
