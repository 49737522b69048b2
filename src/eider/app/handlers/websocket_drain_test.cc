// A server that shuts down waits for WebSocket handlers whose clients have already disconnected.
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string_view>
#include <utility>

#include "eider/app/app.h"
#include "eider/app/handlers/websocket.h"
#include "eider/io/runtime/sleep.h"
#include "tests/sim/sim_app.h"

namespace eider {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::string_view kHandshake =
    "GET /farewell HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";

/// An app whose handler runs for two more seconds after its client has disconnected.
class FarewellService final : public SimAppService {
 public:
  FarewellService() {
    app_.ws("/farewell", [this](WebSocket ws) -> Task<> {
      while (auto message = co_await ws.receive()) {
      }
      has_left = true;
      co_await sleep_for(seconds(2));
      has_finished = true;
    });
    make_service();
  }

  bool has_left = false;
  bool has_finished = false;
};

using FarewellServer = SimServerOf<FarewellService>;

void drain(FarewellServer& server, Duration within) {
  server.loop().post([&server, within] { server.worker().drain(within); });
  server.loop().run();  // returns because the worker stops it
}

TEST(WebSocketDrain, waits_for_a_handler_whose_client_has_left) {
  FarewellServer server;
  SimClient client = server.connect();
  client.send(kHandshake);
  server.kernel.run_until_idle();
  client.reset();
  server.kernel.run_until_idle();
  ASSERT_TRUE(server.service.has_left);
  ASSERT_FALSE(server.service.has_finished);
  EXPECT_EQ(server.service.unfinished(server.loop()), 1U);
  const Instant before = server.kernel.now();
  drain(server, seconds(10));
  EXPECT_TRUE(server.service.has_finished);
  EXPECT_EQ(server.service.unfinished(server.loop()), 0U);
  EXPECT_LT(server.kernel.now() - before, milliseconds(2100));
}

TEST(WebSocketDrain, waits_no_longer_than_it_may) {
  FarewellServer server;
  SimClient client = server.connect();
  client.send(kHandshake);
  server.kernel.run_until_idle();
  client.reset();
  server.kernel.run_until_idle();
  const Instant before = server.kernel.now();
  drain(server, seconds(1));
  EXPECT_FALSE(server.service.has_finished);
  EXPECT_LT(server.kernel.now() - before, milliseconds(1100));
}

}  // namespace
}  // namespace eider
