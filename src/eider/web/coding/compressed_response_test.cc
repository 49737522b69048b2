#include "eider/web/coding/compressed_response.h"

#include <gtest/gtest.h>

#include <string>

#include "eider/app/app.h"
#include "eider/app/handlers/producing.h"
#include "eider/core/base/failure.h"
#include "eider/core/compress/decompressor.h"
#include "eider/io/runtime/sleep.h"
#include "eider/testkit/test_client.h"
#include "eider/web/middleware/caching.h"
#include "tests/sim/sim_app.h"

namespace eider {
namespace {

const std::string& page() {
  static const std::string text = [] {
    std::string made;
    for (int line = 0; line < 300; ++line) {
      made += "<li>line " + std::to_string(line) + "</li>\n";
    }
    return made;
  }();
  return text;
}

std::string noise_of(std::size_t bytes) {
  std::string noise(bytes, '\0');
  std::uint64_t state = 88172645463325252U;
  for (char& byte : noise) {
    state ^= state << 13U;
    state ^= state >> 7U;
    state ^= state << 17U;
    byte = static_cast<char>(state >> 56U);
  }
  return noise;
}

std::string decoded_body(const TestResponse& reply) {
  const auto coding = coding_named(reply.header("Content-Encoding").value_or("identity"));
  if (!coding) {
    return reply.body;
  }
  Buffer out;
  const auto outcome =
      decompress(*coding, reply.body, out, {.bytes_max = 1U << 26U, .ratio_max = 0});
  return outcome ? std::string(out.view()) : std::string(to_text(outcome.error()));
}

std::string coding_of(const TestResponse& reply) {
  return std::string(reply.header("Content-Encoding").value_or("identity"));
}

/// An app with one page, compressed with `options`.
App page_app(CompressionOptions options = {}) {
  App app;
  app.use(compression(std::move(options)));
  app.get("/page", [] { return Response::html(page()).add_header("ETag", "\"1\""); });
  return app;
}

TestResponse ask(TestClient& client, std::string target, std::string_view accepted) {
  return client.send({.target = std::move(target), .headers = {{"Accept-Encoding", accepted}}});
}

TEST(Compression, gives_each_client_what_it_takes) {
  TestClient client(page_app());
  struct Case {
    std::string_view accepted;
    std::string_view coding;
  };
  for (const auto& [accepted, coding] : {
           Case{"gzip", "gzip"},
           Case{"br", "br"},
           Case{"zstd", "zstd"},
           Case{"gzip, deflate, br, zstd", "zstd"},
           Case{"gzip;q=1, br;q=0.5", "gzip"},
           Case{"identity", "identity"},
           Case{"", "identity"},
           Case{"deflate", "identity"},
           Case{"identity;q=0", "identity"},
       }) {
    const TestResponse reply = ask(client, "/page", accepted);
    EXPECT_EQ(reply.status, 200);
    EXPECT_EQ(coding_of(reply), coding) << accepted;
    EXPECT_EQ(decoded_body(reply), page());
    EXPECT_EQ(reply.header("Vary"), "Accept-Encoding");
    EXPECT_EQ(reply.header("ETag"), coding == "identity" ? "\"1\"" : "W/\"1\"");
    EXPECT_EQ(reply.header("Content-Length"), std::to_string(reply.body.size()));
  }
  const TestResponse plain = client.get("/page");
  EXPECT_EQ(coding_of(plain), "identity");
  EXPECT_EQ(plain.header("Vary"), "Accept-Encoding");
}

TEST(Compression, offers_what_it_is_told_to) {
  TestClient client(page_app({.codings = {ContentCoding::gzip, ContentCoding::brotli}}));
  EXPECT_EQ(coding_of(ask(client, "/page", "zstd")), "identity");
  EXPECT_EQ(coding_of(ask(client, "/page", "zstd, br, gzip")), "gzip");
}

TEST(Compression, takes_gzip_for_small_bodies_and_brotli_for_others_where_both_are_liked_alike) {
  App app;
  app.use(compression());
  app.get("/{bytes}", [](std::size_t bytes) { return std::string(bytes, 'a'); });
  TestClient client(std::move(app));
  EXPECT_EQ(coding_of(ask(client, "/12288", "gzip, br")), "gzip");
  EXPECT_EQ(coding_of(ask(client, "/12289", "gzip, br")), "br");
  EXPECT_EQ(coding_of(ask(client, "/12288", "gzip;q=0.9, br")), "br");
  TestClient told(page_app({.codings = {ContentCoding::brotli, ContentCoding::gzip}}));
  EXPECT_EQ(coding_of(ask(told, "/page", "gzip, br")), "br");
}

TEST(Compression, answers_head_with_the_fields_of_get) {
  TestClient client(page_app());
  const TestResponse get = ask(client, "/page", "gzip");
  const TestResponse head = client.send(
      {.method = Method::head, .target = "/page", .headers = {{"Accept-Encoding", "gzip"}}});
  EXPECT_EQ(head.body, "");
  EXPECT_EQ(head.headers, get.headers);
}

Task<> write_lines(ResponseStream out) {
  for (int line = 0; line < 500; ++line) {
    const std::string text = "line " + std::to_string(line) + "\n";
    co_await out.write(text);
  }
}

TEST(Compression, says_its_coding_in_a_head_that_is_flushed_ahead_of_the_content) {
  App app;
  app.use(compression());
  app.get("/", [](ResponseStream out) -> Task<> {
    out.head().set_static_type(kTextPlain);
    out.flush();
    co_await write_lines(out);
  });
  TestClient client(app);
  const TestResponse reply = ask(client, "/", "gzip");
  EXPECT_EQ(coding_of(reply), "gzip");
  EXPECT_TRUE(decoded_body(reply).ends_with("line 499\n"));
}

TEST(Compression, answers_head_with_the_fields_of_get_where_no_length_is_known) {
  App app;
  app.use(compression());
  app.get("/large", [] { return std::vector<int>(200'000, 12345); });
  app.get("/streamed", [] {
    return Streamed("text/plain", [](ResponseStream out) -> Task<> { co_await out.write("text"); });
  });
  TestClient client(app);
  for (const char* target : {"/large", "/streamed"}) {
    const TestResponse get = ask(client, target, "gzip");
    const TestResponse head = client.send(
        {.method = Method::head, .target = target, .headers = {{"Accept-Encoding", "gzip"}}});
    EXPECT_EQ(coding_of(get), "gzip") << target;
    EXPECT_EQ(head.body, "");
    EXPECT_EQ(head.headers, get.headers) << target;
  }
}

TEST(Compression, what_fails_before_its_first_byte_is_an_error_in_plain_text) {
  App app;
  app.use(compression());
  app.log_to(nullptr);
  app.get("/fails", [](ResponseStream out) -> Task<> {
    out.head().set_static_type(kTextPlain);
    co_await out.write("little, still kept by the compressor");
    throw Failure(Error::conflict("Somebody was faster."));
  });
  TestClient client(app);
  const TestResponse reply = ask(client, "/fails", "gzip");
  EXPECT_EQ(reply.status, 409);
  EXPECT_EQ(coding_of(reply), "identity");
  EXPECT_EQ(reply.problem().detail, "Somebody was faster.");
}

TEST(Compression, takes_every_kind_of_body) {
  App app;
  app.use(compression());
  app.get("/owned", [] { return page(); });
  app.get("/viewed", [] { return std::string_view(page()); });
  app.get("/json", [] { return std::vector<int>(1000, 12345); });
  app.get("/waits", []() -> Task<std::string> {
    co_await sleep_for(std::chrono::milliseconds(1));
    co_return page();
  });
  TestClient client(app);
  for (int round = 0; round < 3; ++round) {  // to reuse the buffers of the event loop
    for (const char* target : {"/owned", "/viewed", "/json", "/waits"}) {
      const TestResponse reply = ask(client, target, "gzip");
      EXPECT_EQ(coding_of(reply), "gzip") << target;
      EXPECT_EQ(decoded_body(reply), client.get(target).body) << target;
    }
  }
}

TEST(Compression, leaves_alone_what_gains_nothing) {
  App app;
  app.use(compression());
  app.get("/small", [] { return page().substr(0, 1023); });
  app.get("/enough", [] { return page().substr(0, 1024); });
  app.get("/picture", [] { return Response().set_type("image/png").set_body(page()); });
  app.get("/typeless", [] { return Response().set_body(page()); });
  app.get("/coded", [] { return Response::html(page()).add_header("Content-Encoding", "x-own"); });
  app.get("/digest", [] { return Response::html(page()).add_header("Content-Digest", "a"); });
  app.get("/untouchable",
          [] { return Response::html(page()).add_header("Cache-Control", "no-transform"); });
  app.get("/part", [] { return Response::html(page(), 206); });
  app.get("/noise", [noise = noise_of(2000)] { return noise; });
  TestClient client(app);
  EXPECT_EQ(coding_of(ask(client, "/enough", "gzip")), "gzip");
  for (const char* target :
       {"/small", "/picture", "/typeless", "/digest", "/untouchable", "/part"}) {
    const TestResponse reply = ask(client, target, "gzip");
    EXPECT_EQ(coding_of(reply), "identity") << target;
    EXPECT_EQ(reply.header("Vary"), std::nullopt) << target;
  }
  EXPECT_EQ(coding_of(ask(client, "/coded", "gzip")), "x-own");
  EXPECT_EQ(ask(client, "/coded", "gzip").body, page());
  const TestResponse noise = ask(client, "/noise", "br");
  EXPECT_EQ(noise.body.size(), 2000U);
}

TEST(Compression, compresses_errors_too) {
  App app;
  app.use(compression());
  app.get("/fails",
          []() -> Result<std::string> { return fail(Error::conflict(std::string(2000, 'x'))); });
  TestClient client(app);
  const TestResponse reply = ask(client, "/fails", "gzip");
  EXPECT_EQ(reply.status, 409);
  EXPECT_EQ(coding_of(reply), "gzip");
  EXPECT_EQ(reply.header("Content-Type"), "application/problem+json");
}

TEST(Compression, leaves_answers_for_one_person_when_another_site_asks) {
  TestClient client(page_app());
  const auto ask_from = [&client](std::string_view site) {
    return client.send(
        {.target = "/page",
         .headers = {
             {"Accept-Encoding", "gzip"}, {"Cookie", "session=1"}, {"Sec-Fetch-Site", site}}});
  };
  EXPECT_EQ(coding_of(ask_from("same-origin")), "gzip");
  EXPECT_EQ(coding_of(ask_from("cross-site")), "identity");
  EXPECT_EQ(ask_from("cross-site").header("Vary"), "Accept-Encoding");
  TestClient strict(page_app({.breach_protection = BreachProtection::always}));
  EXPECT_EQ(coding_of(ask(strict, "/page", "gzip")), "gzip");
  const TestResponse own = strict.send({.target = "/page",
                                        .headers = {{"Accept-Encoding", "gzip"},
                                                    {"Cookie", "session=1"},
                                                    {"Sec-Fetch-Site", "same-origin"}}});
  EXPECT_EQ(coding_of(own), "identity");
}

TEST(Compression, takes_shared_bytes_and_lets_go_of_them) {
  for (const std::size_t at_once_max : {std::size_t{1} << 20, std::size_t{1000}}) {
    const auto text = std::make_shared<const std::string>(page());
    App app;
    app.use(compression({.bytes_at_once_max = at_once_max}));
    app.get("/page", [&text] { return text; });
    {
      TestClient client(app);
      const TestResponse reply =
          client.send({.target = "/page", .headers = {{"Accept-Encoding", "gzip"}}});
      EXPECT_EQ(coding_of(reply), "gzip");
      EXPECT_EQ(decoded_body(reply), page());
    }
    EXPECT_EQ(text.use_count(), 1);
  }
}

TEST(Compression, makes_large_bodies_piece_by_piece) {
  std::string large;
  while (large.size() < 1'000'000) {
    large += page();
  }
  App app;
  app.use(compression());
  app.get("/owned", [large] { return large; });
  app.get("/viewed", [&large] { return std::string_view(large); });
  app.get("/json", [] { return std::vector<int>(200'000, 12345); });
  TestClient client(app);
  for (const char* target : {"/owned", "/viewed", "/json", "/owned", "/viewed", "/json"}) {
    const TestResponse reply = ask(client, target, "zstd");
    EXPECT_EQ(coding_of(reply), "zstd") << target;
    EXPECT_EQ(reply.header("Content-Length"), std::nullopt);
    EXPECT_EQ(decoded_body(reply), client.get(target).body) << target;
  }
}

TEST(Compression, streams_what_is_produced) {
  App app;
  app.use(compression());
  app.get("/typed", [](ResponseStream out) -> Task<> {
    out.head().set_static_type(kTextPlain).add_header("ETag", "\"1\"");
    co_await write_lines(out);
  });
  app.get("/bytes", [](ResponseStream out) -> Task<> { co_await write_lines(out); });
  app.get("/nothing", [](ResponseStream out) -> Task<> {
    out.head().set_static_type(kTextPlain);
    co_return;
  });
  app.get("/streamed", [] { return Streamed("text/plain", write_lines); });
  TestClient client(app);
  const std::string lines = client.get("/typed").body;
  for (const char* target : {"/typed", "/streamed"}) {
    for (const char* coding : {"gzip", "br", "zstd"}) {
      const TestResponse reply = ask(client, target, coding);
      EXPECT_EQ(coding_of(reply), coding) << target;
      EXPECT_EQ(reply.header("Vary"), "Accept-Encoding");
      EXPECT_LT(reply.body.size(), lines.size() / 2);
      EXPECT_EQ(decoded_body(reply), lines) << target;
    }
    const TestResponse plain = ask(client, target, "identity");
    EXPECT_EQ(coding_of(plain), "identity");
    EXPECT_EQ(plain.header("Vary"), "Accept-Encoding");
    EXPECT_EQ(plain.body, lines);
  }
  EXPECT_EQ(ask(client, "/typed", "gzip").header("ETag"), "W/\"1\"");
  EXPECT_EQ(coding_of(ask(client, "/bytes", "gzip")), "identity");  // application/octet-stream
  EXPECT_EQ(ask(client, "/bytes", "gzip").body, lines);
  EXPECT_EQ(coding_of(ask(client, "/nothing", "gzip")), "identity");
}

TEST(Compression, hands_on_at_once_what_the_producer_flushes) {
  App app;
  app.use(compression());
  app.get("/slow", [](ResponseStream out) -> Task<> {
    out.head().set_static_type(kTextPlain);
    co_await out.write("first part");
    out.flush();
    co_await sleep_for(std::chrono::seconds(5));
    co_await out.write("second part");
  });
  TestClient client(app);
  const std::string begun =
      client.raw("GET /slow HTTP/1.1\r\nHost: a\r\nAccept-Encoding: gzip\r\n\r\n");
  const std::size_t content = begun.find("\x1f\x8b");
  ASSERT_NE(content, std::string::npos) << begun;
  Decompressor decompressor(ContentCoding::gzip);
  Buffer out;
  std::string chunks = begun.substr(content);
  // Remove the end of the chunk, which follows the compressed bytes: these are complete.
  chunks.resize(chunks.rfind("\r\n"));
  EXPECT_EQ(decompressor.write(chunks, out), Decompressed::need_more);
  EXPECT_EQ(out.view(), "first part");
}

/// A body with a known length, or one that is live, without a handler of that kind.
class Counted final : public ProducedContent {
 public:
  Counted(std::size_t bytes, bool is_alive) : bytes_(bytes), is_alive_(is_alive) {}
  Task<> produce(BodyWriter& out) override {
    const std::string text(bytes_, 'c');
    co_await out.write(text);
  }
  std::optional<std::uint64_t> length() const noexcept override {
    return is_alive_ ? std::nullopt : std::optional<std::uint64_t>(bytes_);
  }
  bool is_live() const noexcept override { return is_alive_; }

 private:
  std::size_t bytes_;
  bool is_alive_;
};

App counted_app(std::size_t bytes, bool is_alive,
                StreamCompression streams = StreamCompression::off) {
  App app;
  app.use(compression({.streams = streams}));
  app.get("/", [bytes, is_alive]() -> Task<Response> {
    Response response;
    response.set_static_type(kTextPlain);
    response.set_content(std::make_unique<Counted>(bytes, is_alive));
    co_return response;
  });
  return app;
}

TEST(Compression, looks_at_an_announced_length) {
  TestClient large(counted_app(5000, false));
  const TestResponse reply = ask(large, "/", "gzip");
  EXPECT_EQ(coding_of(reply), "gzip");
  EXPECT_EQ(reply.header("Content-Length"), std::nullopt);
  EXPECT_EQ(decoded_body(reply), std::string(5000, 'c'));
  EXPECT_EQ(ask(large, "/", "identity").header("Content-Length"), "5000");
  TestClient small(counted_app(500, false));
  EXPECT_EQ(coding_of(ask(small, "/", "gzip")), "identity");
  EXPECT_EQ(ask(small, "/", "gzip").header("Content-Length"), "500");
}

TEST(Compression, leaves_live_content_unless_it_is_told_otherwise) {
  TestClient left(counted_app(5000, true));
  EXPECT_EQ(coding_of(ask(left, "/", "gzip")), "identity");
  TestClient compressed(counted_app(5000, true, StreamCompression::on));
  const TestResponse reply = ask(compressed, "/", "gzip");
  EXPECT_EQ(coding_of(reply), "gzip");
  EXPECT_EQ(decoded_body(reply), std::string(5000, 'c'));
}

TEST(Compression, used_twice_compresses_once) {
  App app;
  app.use(compression(), compression());
  app.get("/page", [] { return Response::html(page()); });
  TestClient client(app);
  const TestResponse reply = ask(client, "/page", "gzip");
  EXPECT_EQ(reply.header("Content-Encoding"), "gzip");
  EXPECT_EQ(reply.header("Vary"), "Accept-Encoding");
  EXPECT_EQ(decoded_body(reply), page());
}

void add_echo(App& app) {
  app.use(compression({.codings = {ContentCoding::gzip}, .bytes_at_once_max = 1000}));
  app.post("/echo", [](Body body) { return body.view(); });
}

std::string echo_of(const std::string& content, std::string_view fields) {
  std::string request("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: ");
  request.append(std::to_string(content.size())).append("\r\n").append(fields);
  return request.append("\r\n").append(content);
}

// The body is compressed in pieces, between which other requests are served: a viewed text is no
// longer valid then.
TEST(CompressedResponse, of_a_view_into_the_request_is_of_that_request) {
  std::string text;
  while (text.size() < 40'000) {
    text.append(page());
  }
  const std::string request = echo_of(text, "Accept-Encoding: gzip\r\n");
  SimAppServer<&add_echo> server;
  const std::string alone = server.exchange(request);
  EXPECT_TRUE(alone.contains("Content-Encoding: gzip\r\n")) << alone.substr(0, 300);
  SimClient mine = server.connect();
  SimClient theirs = server.connect();
  mine.send(request);
  theirs.send(echo_of(std::string(60'000, 't'), {}));
  server.kernel.run_until_idle();
  EXPECT_TRUE(mine.received() == alone);
}

/// The same without an own ETag: the middleware creates it, inside or outside of compression.
App tagged_app(bool is_inside) {
  App app;
  if (!is_inside) {
    app.use(conditional_requests());
  }
  app.use(compression());
  if (is_inside) {
    app.use(conditional_requests());
  }
  app.get("/page", [] { return Response::html(page()); });
  return app;
}

TEST(Compression, leaves_a_304_the_fields_of_the_response_that_it_stands_for) {
  for (const bool is_inside : {true, false}) {
    TestClient client(tagged_app(is_inside));
    for (const std::string_view accepted : {"gzip", "identity"}) {
      const TestResponse first = ask(client, "/page", accepted);
      const std::string tag(first.header("ETag").value());
      EXPECT_EQ(tag.starts_with("W/"), is_inside && accepted == "gzip") << tag;
      const TestResponse again = client.send(
          {.target = "/page", .headers = {{"Accept-Encoding", accepted}, {"If-None-Match", tag}}});
      EXPECT_EQ(again.status, 304);
      EXPECT_EQ(again.body, "");
      EXPECT_EQ(again.header("ETag"), tag);
      EXPECT_EQ(again.header("Vary"), first.header("Vary"));
      EXPECT_FALSE(again.header("Content-Encoding"));
    }
  }
}

}  // namespace
}  // namespace eider
