#include "eider/web/coding/decoded_request.h"

#include <gtest/gtest.h>

#include <string>

#include "eider/app/app.h"
#include "eider/core/compress/compressor.h"
#include "eider/io/runtime/sleep.h"
#include "eider/testkit/test_client.h"

namespace eider {
namespace {

std::string compressed(ContentCoding coding, std::string_view text) {
  Buffer out;
  compress(coding, text, out);
  return std::string(out.view());
}

struct Note {
  std::string title;
};

App note_app(DecompressionOptions options = {}) {
  App app;
  app.use(decompression(std::move(options)));
  app.post("/body", [](Request& request) { return std::string(request.body()); });
  app.post(
      "/named/{name}/{other}", [](std::string_view name, std::string_view other, Request& request) {
        return std::string(name) + "|" + std::string(other) + "|" + std::string(request.body());
      });
  app.post("/note", [](Json<Note> note) { return note->title; });
  app.post("/waits", [](Request& request) -> Task<std::string> {
    co_await sleep_for(std::chrono::milliseconds(5));
    co_return std::string(request.body());
  });
  return app;
}

TestResponse post(TestClient& client, std::string target, std::string_view coding,
                  std::string body) {
  return client.send({.method = Method::post,
                      .target = std::move(target),
                      .headers = {{"Content-Encoding", coding}},
                      .body = std::move(body)});
}

TEST(Decompression, hands_the_handler_the_decoded_body) {
  TestClient client(note_app());
  const std::string text(5000, 'n');
  for (const char* target : {"/body", "/waits"}) {
    EXPECT_EQ(post(client, target, "gzip", compressed(ContentCoding::gzip, text)).body, text);
    EXPECT_EQ(post(client, target, "X-GZip", compressed(ContentCoding::gzip, text)).body, text);
    EXPECT_EQ(post(client, target, "br", compressed(ContentCoding::brotli, text)).body, text);
    EXPECT_EQ(post(client, target, "zstd", compressed(ContentCoding::zstd, text)).body, text);
    for (const char* coding : {"gzip,", ", ,gzip", "identity, gzip", "gzip , identity"}) {
      EXPECT_EQ(post(client, target, coding, compressed(ContentCoding::gzip, text)).body, text)
          << coding;
    }
    for (const char* coding : {"identity", ",", " , identity,,"}) {
      EXPECT_EQ(post(client, target, coding, text).body, text) << coding;
    }
    EXPECT_EQ(post(client, target, "", text).body, text);
    EXPECT_EQ(post(client, target, "gzip", "").body, "");
    EXPECT_EQ(post(client, target, "gzip", compressed(ContentCoding::gzip, "")).body, "");
  }
  const TestResponse note =
      client.send({.method = Method::post,
                   .target = "/note",
                   .headers = {{"Content-Type", "application/json"}, {"Content-Encoding", "gzip"}},
                   .body = compressed(ContentCoding::gzip, R"({"title":"a"})")});
  EXPECT_EQ(note.body, "a");
}

TEST(Decompression, leaves_the_path_values_where_they_are) {
  TestClient client(note_app());
  const std::string text(100'000, 't');
  const std::string body = compressed(ContentCoding::gzip, text);
  // The first path is decoded into the same buffer as the body, the second one needs no decoding.
  for (int round = 0; round < 3; ++round) {
    EXPECT_EQ(post(client, "/named/a%20b/c%2Fd", "gzip", body).body, "a b|c/d|" + text);
    EXPECT_EQ(post(client, "/named/plain/c", "gzip", body).body, "plain|c|" + text);
    EXPECT_EQ(post(client, "/body", "gzip", compressed(ContentCoding::gzip, "short")).body,
              "short");
  }
}

TEST(Decompression, refuses_codings_that_it_does_not_know) {
  TestClient client(note_app());
  for (const std::string_view coding : {"compress", "gzip, br", "aes128gcm", "gzip gzip"}) {
    const TestResponse reply = post(client, "/body", coding, "text");
    EXPECT_EQ(reply.status, 415) << coding;
    EXPECT_EQ(reply.header("Accept-Encoding"), "zstd, br, gzip, deflate");
  }
  TestClient only_gzip(note_app({.codings = {ContentCoding::gzip}}));
  EXPECT_EQ(post(only_gzip, "/body", "br", compressed(ContentCoding::brotli, "a")).status, 415);
  EXPECT_EQ(post(only_gzip, "/body", "br", "").header("Accept-Encoding"), "gzip");
  const TestResponse twice =
      client.send({.method = Method::post,
                   .target = "/body",
                   .headers = {{"Content-Encoding", "gzip"}, {"Content-Encoding", "gzip"}},
                   .body = "text"});
  EXPECT_EQ(twice.status, 415);
}

TEST(Decompression, refuses_damage_and_bombs) {
  TestClient client(note_app());
  const std::string good = compressed(ContentCoding::gzip, "some text");
  EXPECT_EQ(post(client, "/body", "gzip", "plain text").status, 400);
  EXPECT_EQ(post(client, "/body", "gzip", good + "tail").status, 400);
  for (std::size_t bytes = 1; bytes < good.size(); ++bytes) {
    EXPECT_EQ(post(client, "/body", "gzip", good.substr(0, bytes)).status, 400) << bytes;
  }
  for (const ContentCoding coding :
       {ContentCoding::gzip, ContentCoding::brotli, ContentCoding::zstd}) {
    const std::string bomb = compressed(coding, std::string(64UL * 1024 * 1024, '\0'));
    ASSERT_LT(bomb.size(), 300'000U);
    EXPECT_EQ(post(client, "/body", to_text(coding), bomb).status, 413) << to_text(coding);
  }
  EXPECT_EQ(post(client, "/body", "gzip", good).body, "some text");
}

TEST(Decompression, keeps_to_its_own_bound) {
  TestClient client(note_app({.limits = {.bytes_max = 100}}));
  EXPECT_EQ(
      post(client, "/body", "gzip", compressed(ContentCoding::gzip, std::string(100, 'a'))).status,
      200);
  EXPECT_EQ(
      post(client, "/body", "gzip", compressed(ContentCoding::gzip, std::string(101, 'a'))).status,
      413);
}

TEST(Decompression, used_twice_decodes_once) {
  App app;
  app.use(decompression(), decompression());
  app.post("/body", [](Request& request) { return std::string(request.body()); });
  TestClient client(app);
  const std::string inside = compressed(ContentCoding::gzip, "text");
  EXPECT_EQ(post(client, "/body", "gzip", compressed(ContentCoding::gzip, inside)).body, inside);
}

}  // namespace
}  // namespace eider
