// The server's workers on simulated loops, with helpers for tests.
// Layering: must not be used with real loops.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "eider/core/base/assert.h"
#include "eider/server/worker.h"
#include "eider/testkit/loop_sim.h"
#include "tests/sim/scripted_service.h"

namespace eider {

/// S  the service; default-constructed
template <class S>
class SimServerOf {
 public:
  explicit SimServerOf(Limits its_limits = {}, std::size_t loop_count = 1, std::uint64_t seed = 1)
      : kernel(seed),
        limits(its_limits),
        balance(loop_count, its_limits.connections_max),
        group_{.service = service,
               .limits = limits,
               .balance = balance,
               .log = nullptr,
               .loops = {},
               .workers = {}} {
    for (std::size_t index = 0; index < loop_count; ++index) {
      loops_.push_back(std::make_unique<SimLoop>(kernel));
      loop_pointers_.push_back(loops_.back().get());
    }
    group_.loops = loop_pointers_;
    worker_pointers_.resize(loop_count);
    group_.workers = worker_pointers_;
    for (std::size_t index = 0; index < loop_count; ++index) {
      workers_.push_back(std::make_unique<detail::server::Worker>(group_, index));
      worker_pointers_[index] = workers_.back().get();
    }
    listen();
  }

  [[nodiscard]] SimClient connect() { return kernel.connect(port_); }
  [[nodiscard]] std::size_t loop_count() const { return loops_.size(); }
  [[nodiscard]] SimLoop& loop(std::size_t index = 0) { return *loops_[index]; }
  [[nodiscard]] detail::server::Worker& worker(std::size_t index = 0) { return *workers_[index]; }
  void drain(Duration within) {
    for (std::size_t index = 0; index < loops_.size(); ++index) {
      loops_[index]->post([worker = workers_[index].get(), within] { worker->drain(within); });
    }
    kernel.run_until_idle();
  }

  /// Sends `bytes` at once on a new connection and returns everything received.
  [[nodiscard]] std::string exchange(std::string_view bytes) {
    SimClient client = connect();
    client.send(bytes);
    kernel.run_until_idle();
    return client.take_received();
  }

  SimKernel kernel;
  S service;
  const Limits limits;
  detail::server::Balance balance;

 private:
  void listen() {
    auto at = SocketAddress::parse("127.0.0.1", 0);
    for (const auto& worker : workers_) {
      const auto bound = worker->listen(*at, {.sharing = PortSharing::shared});
      ensure(bound.has_value(), "the simulated kernel binds");
      at = bound->address;
    }
    port_ = at->port();
  }

  std::vector<std::unique_ptr<SimLoop>> loops_;
  std::vector<Loop*> loop_pointers_;
  std::vector<detail::server::Worker*> worker_pointers_;
  detail::server::WorkerGroup group_;
  std::vector<std::unique_ptr<detail::server::Worker>> workers_;
  std::uint16_t port_ = 0;
};

using SimServer = SimServerOf<ScriptedService>;

/// One parsed response.
struct ReadResponse {
  int status = 0;
  std::string head;
  std::string body;
};

/// Reads the responses in `bytes` in order, by Content-Length; skips 100 (Continue).
///
/// are_heads  the responses have no body, as those to HEAD requests
/// returns    the complete responses
inline std::vector<ReadResponse> read_responses(std::string_view bytes, bool are_heads = false) {
  std::vector<ReadResponse> all;
  while (true) {
    const std::size_t end = bytes.find("\r\n\r\n");
    if (end == std::string_view::npos || !bytes.starts_with("HTTP/1.1 ")) {
      return all;
    }
    ReadResponse one{.status = std::stoi(std::string(bytes.substr(9, 3))),
                     .head = std::string(bytes.substr(0, end + 4)),
                     .body = {}};
    bytes.remove_prefix(end + 4);
    if (one.status == 100) {
      continue;
    }
    const std::size_t at = one.head.find("Content-Length: ");
    const std::size_t length =
        at == std::string::npos || are_heads ? 0 : std::stoul(one.head.substr(at + 16));
    if (bytes.size() < length) {
      return all;
    }
    one.body = bytes.substr(0, length);
    bytes.remove_prefix(length);
    all.push_back(std::move(one));
  }
}

}  // namespace eider
