// For tests: WebSockets on simulated lines, without the HTTP in front of them.
// Layering: must not be used outside of tests.
#pragma once

#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "eider/core/base/log.h"
#include "eider/io/runtime/output_budget.h"
#include "eider/io/runtime/stream.h"
#include "eider/io/runtime/upgraded_stream.h"
#include "eider/protocols/http/ws/frame.h"
#include "eider/protocols/http/ws/message_reader.h"
#include "eider/protocols/http/ws/message_writer.h"
#include "eider/server/topics.h"
#include "eider/server/ws_hub.h"
#include "eider/server/ws_upgrade.h"
#include "eider/testkit/log_lines.h"
#include "eider/testkit/loop_sim.h"

namespace eider::testing {

/// A fixed key, because a test's client need not be unpredictable.
class FixedMask final : public ws::MaskSource {
 public:
  ws::MaskKey next() override { return {0x37, 0xFA, 0x21, 0x3D}; }
};

/// Returns a frame as a client writes it.
inline std::string framed(ws::FrameHeader header, std::string_view payload) {
  header.payload_bytes = payload.size();
  header.is_masked = true;
  header.mask_key = FixedMask().next();
  Buffer out;
  ws::write_frame_header(out, header);
  std::string bytes(out.view());
  std::string masked(payload);
  ws::mask(masked, header.mask_key);
  return bytes + masked;
}
inline std::string text_frame(std::string_view text) {
  return framed({.opcode = ws::Opcode::text}, text);
}
inline std::string binary_frame(std::string_view bytes) {
  return framed({.opcode = ws::Opcode::binary}, bytes);
}
inline std::string ping_frame(std::string_view payload = {}) {
  return framed({.opcode = ws::Opcode::ping}, payload);
}
inline std::string close_frame(unsigned code, std::string_view reason = {}) {
  std::string payload{static_cast<char>(code >> 8U), static_cast<char>(code & 0xFFU)};
  return framed({.opcode = ws::Opcode::close}, payload.append(reason));
}

/// Returns the messages of a server as text: "text:hello", "binary:…", "ping:…", "pong:…",
/// "close:1000:reason", "refused".
inline std::vector<std::string> told(std::string_view bytes) {
  static constexpr ws::MessageLimits kLimits{.message_bytes_max = 1UL << 30U};
  ws::MessageReader reader(ws::Side::client, kLimits);
  Buffer scratch;
  std::vector<std::string> all;
  for (auto event = reader.read(bytes, scratch); event.kind != ws::EventKind::need_more;
       event = reader.read(bytes, scratch)) {
    bytes.remove_prefix(event.consumed);
    const std::string data(event.data);
    switch (event.kind) {
      case ws::EventKind::message:
        all.push_back((event.type == ws::MessageType::text ? "text:" : "binary:") + data);
        break;
      case ws::EventKind::ping:
        all.push_back("ping:" + data);
        break;
      case ws::EventKind::pong:
        all.push_back("pong:" + data);
        break;
      case ws::EventKind::close:
        all.push_back("close:" + std::to_string(static_cast<unsigned>(event.code)) + ":" + data);
        break;
      case ws::EventKind::refused:
      case ws::EventKind::piece:
      case ws::EventKind::need_more:
        all.push_back("refused:" + data);
        return all;
    }
  }
  return all;
}

/// An upgraded connection, as in server/connection.
class TestLine final : public detail::runtime::UpgradedStream,
                       private StreamOwner,
                       private Deferred {
 public:
  TestLine(Loop& loop, Descriptor fd, Upgrade& upgrade) : loop_(loop), stream_(loop, *this) {
    stream_.open(std::move(fd));
    upgraded_ = upgrade.take_over(*this);
  }

  [[nodiscard]] Stream& stream() noexcept override { return stream_; }
  [[nodiscard]] const Stream& stream() const noexcept override { return stream_; }
  [[nodiscard]] std::string address() const override {
    const auto peer = stream_.is_open() ? stream_.peer() : fail(NetError::closed);
    return peer ? peer->host() : std::string();
  }
  void close() noexcept override {
    is_closed = true;
    loop_.defer(*this);
  }
  [[nodiscard]] bool is_over() const { return upgraded_ == nullptr; }
  /// Simulates a server that stops.
  void stop() { upgraded_->on_stopping(); }
  /// Simulates the end of the server's drain deadline.
  void drop() { run(); }

  bool is_closed = false;

 private:
  void on_bytes(std::string_view bytes) override {
    if (!is_closed) {
      upgraded_->on_bytes(bytes);
    }
  }
  [[nodiscard]] detail::runtime::OutputBudget* output_budget() noexcept override {
    return &detail::runtime::output_budget_of(loop_);
  }
  void on_end() override {
    if (!is_closed) {
      upgraded_->on_end();
    }
  }
  void on_drained() override {
    if (!is_closed) {
      upgraded_->on_drained();
    }
  }
  void on_broken(NetError) override {
    if (!is_closed) {
      upgraded_->on_broken();
      upgraded_.reset();
    }
  }
  void run() override {
    stream_.close();
    upgraded_.reset();
  }

  Loop& loop_;
  Stream stream_;
  UpgradedPtr upgraded_;
};

/// A client and its line.
struct TestSocket {
  SimClient client;
  std::unique_ptr<TestLine> line;
};

/// One route on one or more loops.
class WsWorld {
 public:
  static constexpr std::size_t kWide = std::numeric_limits<std::size_t>::max();

  explicit WsWorld(WebSocketOptions options = {}, std::size_t loop_count = 1,
                   std::uint64_t seed = 1)
      : kernel(seed), route(std::move(options), "/test") {
    for (std::size_t index = 0; index < loop_count; ++index) {
      loops.push_back(std::make_unique<SimLoop>(kernel));
    }
    log = std::make_shared<LogLines>();
    topics.log_to(log);
  }

  [[nodiscard]] SimLoop& loop(std::size_t index = 0) { return *loops[index]; }
  [[nodiscard]] detail::server::WsHub& hub(std::size_t index = 0) {
    return topics.hub(loop(index));
  }

  /// A coroutine refers to its handler's captures, so the handler is kept.
  template <class Handler>
    requires std::is_invocable_v<Handler&, WebSocket>
  [[nodiscard]] TestSocket connect(Handler handler, std::size_t loop_index = 0,
                                   std::size_t window = kWide) {
    auto kept = std::make_shared<Handler>(std::move(handler));
    handlers_.push_back(kept);
    return connect(ws::detail::WsPurpose(ws::detail::WsHandler(
                       [&kept = *kept](WebSocket ws) { return kept(std::move(ws)); })),
                   loop_index, {}, window);
  }

  /// window  number of bytes that the server may send before the client reads
  [[nodiscard]] TestSocket connect(ws::detail::WsPurpose purpose, std::size_t loop_index = 0,
                                   const ws::detail::WsAgreement& agreement = {},
                                   std::size_t window = kWide) {
    TestSocket socket;
    SimPair pair = kernel.connect_pair();
    pair.client.set_window(window);
    socket.client = std::move(pair.client);
    detail::server::WsUpgrade upgrade(route, topics, agreement, std::move(purpose));
    loop(loop_index).call([&] {
      socket.line = std::make_unique<TestLine>(loop(loop_index), std::move(pair.server), upgrade);
    });
    return socket;
  }

  /// Sends, runs everything, and returns the received messages.
  std::vector<std::string> exchange(TestSocket& socket, std::string_view bytes) {
    socket.client.send(bytes);
    kernel.run_until_idle();
    return take(socket);
  }
  std::vector<std::string> take(TestSocket& socket) { return told(socket.client.take_received()); }

  SimKernel kernel;
  Topics topics;
  ws::detail::WsRoute route;
  std::shared_ptr<LogLines> log;
  std::vector<std::unique_ptr<SimLoop>> loops;

 private:
  std::vector<std::shared_ptr<void>> handlers_;
};

inline Task<> echo(WebSocket socket) {
  while (auto message = co_await socket.receive()) {
    co_await socket.send(*message);
  }
}

/// The messages that a handler has received, and how it ended.
struct Noted {
  std::vector<std::string> received;
  CloseCode code = CloseCode::normal;
  std::string reason;
  bool has_ended = false;
  bool was_destroyed = false;
};

inline ws::detail::WsHandler noting(Noted& noted) {
  return [&noted](WebSocket socket) -> Task<> {
    struct AtEnd {
      Noted& noted;
      ~AtEnd() { noted.was_destroyed = true; }
    } const at_end{noted};
    while (auto message = co_await socket.receive()) {
      noted.received.emplace_back(message->bytes);
    }
    noted.code = socket.close_code();
    noted.reason = socket.close_reason();
    noted.has_ended = true;
  };
}

}  // namespace eider::testing
