// Forwards connections to a port of this machine, and records what clients send: what an
// eavesdropper could read. It also causes faults.
// Layering: must not be linked into an application.
#pragma once

#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "eider/io/runtime/descriptor.h"
#include "tests/support/statement_fault.h"

namespace eider {

class RecordingRelay {
 public:
  /// fault  counts messages of clients; null: none
  explicit RecordingRelay(std::uint16_t to, std::shared_ptr<StatementFault> fault = nullptr)
      : to_(to), fault_(std::move(fault)) {
    sockaddr_in address = loopback(0);
    socklen_t size = sizeof address;
    listener_ = Descriptor(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    ::bind(listener_.get(), reinterpret_cast<const sockaddr*>(&address), size);
    ::listen(listener_.get(), 16);
    ::getsockname(listener_.get(), reinterpret_cast<sockaddr*>(&address), &size);
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this] { run(); });
  }
  ~RecordingRelay() {
    is_over_ = true;
    thread_.join();
  }
  RecordingRelay(const RecordingRelay&) = delete;
  RecordingRelay& operator=(const RecordingRelay&) = delete;

  [[nodiscard]] std::uint16_t port() const noexcept { return port_; }
  /// Returns the bytes that the client of each connection has sent, in the order of the
  /// connections.
  [[nodiscard]] std::vector<std::string> sent() {
    const std::lock_guard lock(mutex_);
    return sent_;
  }

 private:
  struct Pair {
    Descriptor client;
    Descriptor server;
    std::size_t number;
    bool is_over = false;
  };

  using How = StatementFault::How;
  static constexpr std::chrono::milliseconds kLate{1500};

  static sockaddr_in loopback(std::uint16_t port) noexcept {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return address;
  }

  void run() {
    std::vector<Pair> pairs;
    while (!is_over_) {
      std::vector<pollfd> ready{{.fd = listener_.get(), .events = POLLIN, .revents = 0}};
      for (const Pair& pair : pairs) {
        ready.push_back({.fd = pair.client.get(), .events = POLLIN, .revents = 0});
        ready.push_back({.fd = pair.server.get(), .events = POLLIN, .revents = 0});
      }
      ::poll(ready.data(), ready.size(), 20);
      for (std::size_t i = 0; i < pairs.size(); ++i) {
        pass_on(pairs[i], ready[2 * i + 1].revents != 0, ready[2 * i + 2].revents != 0);
      }
      std::erase_if(pairs, [](const Pair& pair) { return pair.is_over; });
      if (ready[0].revents != 0) {
        pairs.push_back(open());
      }
    }
  }

  Pair open() {
    Descriptor client(::accept(listener_.get(), nullptr, nullptr));
    Descriptor server(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const sockaddr_in address = loopback(to_);
    ::connect(server.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address);
    const std::lock_guard lock(mutex_);
    sent_.emplace_back();
    return {std::move(client), std::move(server), sent_.size() - 1, is_away()};
  }

  void pass_on(Pair& pair, bool has_client, bool has_server) {
    if (has_client) {
      const std::string bytes = receive(pair, pair.client);
      const bool fails = fault_ != nullptr && fault_->is_next();
      if (fails && fault_->how == How::late) {
        wait(kLate);
      }
      if (!fails || fault_->how != How::lost) {
        send(pair.server, bytes);
      }
      if (fails && fault_->how != How::late) {
        if (fault_->how != How::lost) {
          await_response(pair.server);
        }
        pair.is_over = true;
      }
      const std::lock_guard lock(mutex_);
      sent_[pair.number] += bytes;
    }
    if (has_server && !pair.is_over) {
      send(pair.client, receive(pair, pair.server));
    }
    pair.is_over = pair.is_over || is_away();
  }

  static std::string receive(Pair& pair, const Descriptor& from) {
    std::string bytes(std::size_t{1} << 16U, '\0');
    const ssize_t got = ::recv(from.get(), bytes.data(), bytes.size(), MSG_DONTWAIT);
    pair.is_over = pair.is_over || got <= 0;
    bytes.resize(got < 0 ? 0 : static_cast<std::size_t>(got));
    return bytes;
  }
  static void send(const Descriptor& to, const std::string& bytes) {
    ::send(to.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
  }
  [[nodiscard]] bool is_away() const noexcept { return fault_ != nullptr && fault_->is_away(); }
  /// Waits briefly, because some messages get no response.
  static void await_response(const Descriptor& server) {
    pollfd ready{.fd = server.get(), .events = POLLIN, .revents = 0};
    ::poll(&ready, 1, 500);
  }
  void wait(std::chrono::milliseconds time) const {
    const auto until = std::chrono::steady_clock::now() + time;
    while (!is_over_ && std::chrono::steady_clock::now() < until) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
  }

  const std::uint16_t to_;
  const std::shared_ptr<StatementFault> fault_;
  Descriptor listener_;
  std::uint16_t port_ = 0;
  std::atomic<bool> is_over_ = false;
  std::mutex mutex_;
  std::vector<std::string> sent_;
  std::thread thread_;
};

}  // namespace eider
