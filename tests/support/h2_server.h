// The server's worker with HTTP/2 on a simulated loop, and a client with hand-written frames.
// Layering: must not be included outside of tests.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "eider/core/base/assert.h"
#include "eider/io/runtime/output_budget.h"
#include "eider/protocols/http/h2/test_frames.h"
#include "eider/server/http2/loop_h2.h"
#include "eider/server/worker.h"
#include "eider/testkit/loop_sim.h"
#include "tests/sim/scripted_service.h"

namespace eider::detail::http2::test {

using h2::test::Frame;
using h2::test::frame;
using h2::test::frames_of;
using h2::test::kEndHeaders;
using h2::test::kEndStream;
using h2::test::literal;
using h2::test::Type;
using h2::test::word;

inline std::string head(std::string_view method, std::string_view path) {
  return literal(":method", method) + literal(":scheme", "http") + literal(":path", path) +
         literal(":authority", "h");
}

inline std::string get(std::uint32_t stream, std::string_view path) {
  return frame(Type::headers, kEndHeaders | kEndStream, stream, head("GET", path));
}

inline std::string post(std::uint32_t stream, std::string_view path) {
  return frame(Type::headers, kEndHeaders, stream, head("POST", path));
}

inline std::string window_update(std::uint32_t stream, std::uint32_t increment) {
  return frame(Type::window_update, 0, stream, word(increment));
}

/// SETTINGS_INITIAL_WINDOW_SIZE
inline std::string initial_window(std::uint32_t bytes) {
  return frame(Type::settings, 0, 0, std::string("\0\4", 2) + word(bytes));
}

/// Data received on one stream: its content, and how it ended.
struct Received {
  std::string content;
  bool has_head = false;
  bool is_whole = false;
  bool is_reset = false;
};

inline Received received_on(std::string_view bytes, std::uint32_t stream) {
  Received all;
  for (const Frame& one : frames_of(bytes)) {
    if (one.stream != stream) {
      continue;
    }
    all.has_head |= one.type == Type::headers;
    all.is_reset |= one.type == Type::rst_stream;
    if (one.type == Type::data) {
      all.content += one.payload;
    }
    const bool ends = (one.flags & kEndStream) != 0;
    all.is_whole |= ends && (one.type == Type::data || one.type == Type::headers);
  }
  return all;
}

inline bool has_goaway(std::string_view bytes) {
  return std::ranges::any_of(frames_of(bytes),
                             [](const Frame& one) { return one.type == Type::goaway; });
}

/// Supports only HTTP/2.
class TestProtocol final : public ConnectionProtocol {
 public:
  explicit TestProtocol(Http2Options options = {}) noexcept : options_(options) {}
  [[nodiscard]] std::string_view alpn() const noexcept override { return h2::kAlpnName; }
  [[nodiscard]] std::unique_ptr<ProtocolFactory> on_loop(
      server::LoopContext& context) const override {
    return std::make_unique<LoopH2>(context, options_);
  }

 private:
  Http2Options options_;
};

/// S  the service; default-constructed
template <class S>
class H2ServerOf {
 public:
  explicit H2ServerOf(Limits its_limits = {}, Http2Options options = {})
      : limits(its_limits),
        protocol_(options),
        balance_(1, its_limits.connections_max),
        loop_(kernel),
        loops_{&loop_},
        group_{.service = service,
               .limits = limits,
               .balance = balance_,
               .log = nullptr,
               .loops = loops_,
               .workers = {},
               .protocol = &protocol_} {
    worker_ = std::make_unique<server::Worker>(group_, 0);
    workers_.push_back(worker_.get());
    group_.workers = workers_;
    const auto at =
        worker_->listen(*SocketAddress::parse("127.0.0.1", 0), {.sharing = PortSharing::shared});
    ensure(at.has_value(), "the simulated kernel binds");
    port_ = at->address.port();
  }

  /// Returns a client that has sent its preface, followed by these bytes.
  [[nodiscard]] SimClient connect(std::string_view more = {}) {
    SimClient client = kernel.connect(port_);
    client.send(std::string(h2::kPreface) + frame(Type::settings, 0, 0) + std::string(more));
    kernel.run_until_idle();
    return client;
  }
  [[nodiscard]] SimClient connect_only() { return kernel.connect(port_); }
  [[nodiscard]] server::Worker& worker() noexcept { return *worker_; }
  /// Returns the memory of pending output.
  [[nodiscard]] std::size_t held() { return runtime::output_budget_of(loop_).held(); }
  void drain(Duration within) {
    loop_.post([this, within] { worker_->drain(within); });
    kernel.run_until_idle();
  }

  SimKernel kernel;
  S service;
  const Limits limits;

 private:
  TestProtocol protocol_;
  server::Balance balance_;
  SimLoop loop_;
  std::vector<Loop*> loops_;
  std::vector<server::Worker*> workers_;
  server::WorkerGroup group_;
  std::unique_ptr<server::Worker> worker_;
  std::uint16_t port_ = 0;
};

using H2Server = H2ServerOf<ScriptedService>;

}  // namespace eider::detail::http2::test
