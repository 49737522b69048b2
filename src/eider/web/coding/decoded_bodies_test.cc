// Limits of the decompressed bodies of all requests of an event loop together.
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "eider/core/compress/compressor.h"
#include "eider/io/runtime/sleep.h"
#include "eider/web/coding/decoded_request.h"
#include "tests/sim/sim_app.h"

namespace eider {
namespace {

using std::chrono::seconds;

constexpr std::size_t kBodyBytes = 100'000;

void add_routes(App& app) {
  app.use(decompression());
  app.post("/now", [](Request& request) { return std::to_string(request.body().size()); });
  app.post("/later", [](Request& request) -> Task<std::string> {
    co_await sleep_for(seconds(10));
    co_return std::to_string(request.body().size());
  });
}

using DecodingServer = SimAppServer<add_routes>;

std::string post_of(std::string_view path, ContentCoding coding, std::size_t bytes) {
  Buffer packed;
  compress(coding, std::string(bytes, 'x'), packed);
  return std::string("POST ").append(path).append(" HTTP/1.1\r\nHost: a\r\nContent-Encoding: ") +
         std::string(to_text(coding)) + "\r\nContent-Length: " + std::to_string(packed.size()) +
         "\r\n\r\n" + std::string(packed.view());
}

int status_of(std::string_view bytes) {
  const auto responses = read_responses(bytes);
  return responses.empty() ? 0 : responses.front().status;
}

TEST(DecodedBodies, are_refused_where_there_is_no_room_and_taken_later) {
  for (const ContentCoding coding :
       {ContentCoding::gzip, ContentCoding::brotli, ContentCoding::zstd}) {
    DecodingServer server({.decoded_bytes_max = 5 * kBodyBytes / 2});
    const std::string post = post_of("/later", coding, kBodyBytes);
    SimClient first = server.connect();
    SimClient second = server.connect();
    first.send(post);
    second.send(post);
    server.kernel.run_until_idle();
    const std::string refused = server.exchange(post);
    EXPECT_EQ(status_of(refused), 503);
    EXPECT_NE(refused.find("Retry-After: "), std::string::npos);
    EXPECT_EQ(status_of(server.exchange(post_of("/now", coding, 1000))), 200) << "it fits";
    server.kernel.advance(seconds(11));
    EXPECT_EQ(read_responses(first.received()).at(0).body, std::to_string(kBodyBytes));
    EXPECT_EQ(status_of(second.received()), 200);
    SimClient third = server.connect();
    third.send(post);
    server.kernel.advance(seconds(11));
    EXPECT_EQ(status_of(third.received()), 200) << "all of it has come back";
  }
}

TEST(DecodedBodies, count_no_more_when_their_clients_leave) {
  DecodingServer server({.decoded_bytes_max = kBodyBytes});
  for (int round = 0; round < 10; ++round) {
    SimClient client = server.connect();
    client.send(post_of("/later", ContentCoding::gzip, kBodyBytes));
    server.kernel.run_until_idle();
    EXPECT_EQ(client.received(), "") << "it is handled";
    client.reset();
    server.kernel.run_until_idle();
  }
}

TEST(DecodedBodies, one_alone_may_be_larger) {
  DecodingServer server({.decoded_bytes_max = 1000});
  const std::string post = post_of("/later", ContentCoding::gzip, kBodyBytes);
  SimClient first = server.connect();
  first.send(post);
  server.kernel.run_until_idle();
  EXPECT_EQ(status_of(server.exchange(post)), 503);
  EXPECT_EQ(status_of(server.exchange(post_of("/now", ContentCoding::gzip, 10))), 503);
  server.kernel.advance(seconds(11));
  EXPECT_EQ(status_of(first.received()), 200);
  EXPECT_EQ(status_of(server.exchange(post_of("/now", ContentCoding::gzip, kBodyBytes))), 200);
}

}  // namespace
}  // namespace eider
