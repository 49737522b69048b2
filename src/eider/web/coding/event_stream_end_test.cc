// The last event of a stream at a graceful shutdown is compressed like all earlier ones.
#include <gtest/gtest.h>

#include <string>

#include "eider/core/compress/decompressor.h"
#include "eider/web/coding/compressed_response.h"
#include "tests/sim/sim_app.h"
#include "tests/support/room_app.h"

namespace eider {
namespace {

using std::chrono::milliseconds;

void set_up_compressed_rooms(App& app) {
  app.use(compression({.streams = StreamCompression::on}));
  set_up_rooms(app);
}

TEST(CompressedEvents, end_with_what_the_stream_says_last) {
  for (const std::string target : {"/own", "/rooms/a"}) {
    SimAppServer<&set_up_compressed_rooms> server;
    SimClient client = server.connect();
    // HTTP/1.0, so that the body has no chunks.
    client.send("GET " + target + " HTTP/1.0\r\nAccept-Encoding: gzip\r\n\r\n");
    server.kernel.advance(milliseconds(200));
    server.drain(std::chrono::seconds(10));
    server.kernel.advance(std::chrono::seconds(2));
    EXPECT_TRUE(client.is_closed());
    const std::string received(client.received());
    ASSERT_TRUE(received.contains("Content-Encoding: gzip\r\n")) << received;
    Buffer content;
    const auto outcome =
        decompress(ContentCoding::gzip, received.substr(received.find("\r\n\r\n") + 4), content,
                   {.bytes_max = 1000, .ratio_max = 0});
    ASSERT_TRUE(outcome.has_value());
    EXPECT_TRUE(content.view().contains("\nretry: ")) << content.view();
    EXPECT_TRUE(content.view().ends_with("\n\n"));
  }
}

}  // namespace
}  // namespace eider
