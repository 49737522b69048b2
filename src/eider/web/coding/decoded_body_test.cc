#include "eider/web/coding/decoded_request.h"

#include <gtest/gtest.h>

#include <string>

#include "eider/app/app.h"
#include "eider/core/compress/compressor.h"
#include "eider/testkit/test_client.h"

namespace eider {
namespace {

std::string packed(ContentCoding coding, std::string_view text) {
  Buffer out;
  compress(coding, text, out);
  return std::string(out.view());
}

Task<std::string> echo(BodyStream body, const Request& request,
                       const DecompressionOptions& options) {
  DecodedBody decoded(body, request, options);
  std::string text;
  while (true) {
    const std::optional<std::string_view> part = co_await decoded.next();
    if (!part) {
      break;
    }
    text += *part;
  }
  co_return text;
}

App echo_app(DecompressionLimits limits = {}) {
  App app;
  app.use(decompression());  // streamed bodies are left to the handler
  app.post("/", [limits](BodyStream body, Request& request) -> Task<std::string> {
    const DecompressionOptions options{.limits = limits};
    co_return co_await echo(body, request, options);
  });
  return app;
}

TestResponse post(TestClient& client, std::string_view coding, std::string body) {
  return client.send({.method = Method::post,
                      .target = "/",
                      .headers = {{"Content-Encoding", coding}},
                      .body = std::move(body)});
}

TEST(DecodedBody, is_decoded_as_it_comes) {
  TestClient client(echo_app());
  std::string text;
  for (int line = 0; line < 20'000; ++line) {
    text += "line " + std::to_string(line) + "\n";
  }
  EXPECT_EQ(post(client, "gzip", packed(ContentCoding::gzip, text)).body, text);
  EXPECT_EQ(post(client, "br", packed(ContentCoding::brotli, text)).body, text);
  EXPECT_EQ(post(client, "zstd", packed(ContentCoding::zstd, text)).body, text);
  EXPECT_EQ(post(client, "identity", text).body, text);
  EXPECT_EQ(post(client, "gzip", packed(ContentCoding::gzip, "")).body, "");
  EXPECT_EQ(post(client, "gzip", "").body, "");
}

TEST(DecodedBody, refuses_damage_bombs_and_unknown_codings) {
  TestClient client(echo_app({.bytes_max = 1000}));
  const std::string good = packed(ContentCoding::gzip, std::string(1000, 'a'));
  EXPECT_EQ(post(client, "gzip", good).status, 200);
  EXPECT_EQ(post(client, "gzip", packed(ContentCoding::gzip, std::string(1001, 'a'))).status, 413);
  EXPECT_EQ(post(client, "gzip", good.substr(0, good.size() - 1)).status, 400);
  EXPECT_EQ(post(client, "gzip", good + "tail").status, 400);
  EXPECT_EQ(post(client, "gzip", "plain").status, 400);
  EXPECT_EQ(post(client, "compress", good).status, 415);
}

}  // namespace
}  // namespace eider
