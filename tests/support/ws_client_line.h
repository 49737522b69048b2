// For tests: a WsClient on a simulated loop, with a peer that the test controls.
// Layering: must not be used outside of tests.
#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "eider/client/ws/ws_client.h"
#include "eider/io/runtime/task.h"
#include "eider/protocols/http/ws/handshake.h"
#include "eider/testkit/loop_sim.h"
#include "eider/testkit/sim_kernel.h"
#include "tests/conformance/ws_feeder.h"

namespace eider::testing {

/// Predictable masking keys.
class KnownMasks final : public ws::MaskSource {
 public:
  [[nodiscard]] ws::MaskKey next() override { return {1, 2, 3, ++count_}; }

 private:
  unsigned char count_ = 0;
};

class WsClientLine {
 public:
  explicit WsClientLine(WsClientOptions options = {}) {
    SimPair pair = kernel.connect_pair();
    peer = std::move(pair.client);
    options.masks = &masks;
    opening_ = open(std::move(pair.server), std::move(options), opened);
    loop.call([this] { opening_.start(); });
    kernel.run_until_idle();
    request = peer.take_received();
  }

  /// Returns the correct response to the request; `more` contains additional headers.
  [[nodiscard]] std::string response(std::string_view more = {}) const {
    return response_to(request, more);
  }
  [[nodiscard]] static std::string response_to(std::string_view asked, std::string_view more = {}) {
    constexpr std::string_view kBefore = "Sec-WebSocket-Key: ";
    const std::string_view key = asked.substr(asked.find(kBefore) + kBefore.size(), 24);
    const auto accept = ws::accept_value(key);
    std::string head("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n");
    head.append("Connection: Upgrade\r\nSec-WebSocket-Accept: ");
    return head.append(accept.data(), accept.size()).append("\r\n").append(more).append("\r\n");
  }
  void say(std::string_view bytes) {
    peer.send(bytes);
    kernel.run_until_idle();
  }
  /// Sends the same, byte by byte.
  void say_slowly(std::string_view bytes) {
    for (const char byte : bytes) {
      say({&byte, 1});
    }
  }
  /// Receives from now on, until the end.
  void listen() {
    listening_ = hear(client(), heard, has_ended);
    loop.call([this] { listening_.start(); });
    kernel.run_until_idle();
  }
  /// Runs a task until it waits.
  void run(Task<>& task) {
    loop.call([&task] { task.start(); });
    kernel.run_until_idle();
  }
  [[nodiscard]] WsClient& client() { return opened->value(); }
  /// Returns what the client has sent so far, as a server sees it.
  [[nodiscard]] std::vector<ws::Seen> sent() {
    feeder_.feed(peer.take_received());
    return feeder_.seen();
  }

  SimKernel kernel;
  SimLoop loop{kernel};
  SimClient peer;
  KnownMasks masks;
  std::optional<WsClient::Connected> opened;
  std::string request;
  std::vector<ws::Seen> heard;
  bool has_ended = false;

 private:
  static Task<> open(Descriptor fd, WsClientOptions options,
                     std::optional<WsClient::Connected>& result) {
    result.emplace(
        co_await WsClient::open(std::move(fd), "ws://example.com/feed?a=b", std::move(options)));
  }
  static Task<> hear(WsClient& client, std::vector<ws::Seen>& heard, bool& has_ended) {
    for (;;) {
      const auto message = co_await client.receive();
      if (!message) {
        break;
      }
      heard.push_back({ws::EventKind::message, message->type, ws::CloseCode::no_status,
                       std::string(message->bytes)});
    }
    has_ended = true;
  }

  ws::MessageLimits limits_{.message_bytes_max = 1UL << 30U};
  ws::Feeder feeder_{ws::Side::server, limits_};
  Task<> opening_;
  Task<> listening_;
};

}  // namespace eider::testing
