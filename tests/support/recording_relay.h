// Passes connections on to a port of this machine, and notes what clients send: what anybody
// between them could read. Must not be linked into an application.
#pragma once

#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "eider/io/runtime/descriptor.h"

namespace eider {

class RecordingRelay {
 public:
  explicit RecordingRelay(std::uint16_t to) : to_(to) {
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
  /// What each connection's client has sent, in their order.
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
    return {std::move(client), std::move(server), sent_.size() - 1};
  }

  void pass_on(Pair& pair, bool has_client, bool has_server) {
    std::string bytes(std::size_t{1} << 16U, '\0');
    const auto move = [&](const Descriptor& from, const Descriptor& to) {
      const ssize_t got = ::recv(from.get(), bytes.data(), bytes.size(), MSG_DONTWAIT);
      pair.is_over = pair.is_over || got <= 0;
      const std::string_view some(bytes.data(), got < 0 ? 0 : static_cast<std::size_t>(got));
      ::send(to.get(), some.data(), some.size(), MSG_NOSIGNAL);
      return some;
    };
    if (has_client) {
      const std::string_view some = move(pair.client, pair.server);
      const std::lock_guard lock(mutex_);
      sent_[pair.number] += some;
    }
    if (has_server) {
      (void)move(pair.server, pair.client);
    }
  }

  const std::uint16_t to_;
  Descriptor listener_;
  std::uint16_t port_ = 0;
  std::atomic<bool> is_over_ = false;
  std::mutex mutex_;
  std::vector<std::string> sent_;
  std::thread thread_;
};

}  // namespace eider
