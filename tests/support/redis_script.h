// A scripted server, for rare responses of Redis.
// Layering: must not be linked into an application.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace eider {

class RedisScript {
 public:
  /// One connection, on its own thread. After its end, reads return nothing.
  class Peer {
   public:
    Peer(int fd, int number) : fd_(fd), number_(number) {}
    /// Returns the number of the connection, from 1.
    [[nodiscard]] int number() const noexcept { return number_; }

    void say(std::string_view bytes) const {
      while (!bytes.empty()) {
        const auto sent = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (sent <= 0) {
          return;
        }
        bytes.remove_prefix(static_cast<std::size_t>(sent));
      }
    }
    /// Reads the next command, and returns its words; empty at the end of the connection.
    [[nodiscard]] std::string hear() {
      const std::string count = line();
      std::string words;
      for (int left = count.empty() ? 0 : std::stoi(count.substr(1)); left > 0; --left) {
        const std::string length = line();
        if (length.empty()) {
          return {};
        }
        words.append(words.empty() ? "" : " ").append(bytes(std::stoul(length.substr(1))));
        (void)line();
      }
      return words;
    }
    /// Accepts RESP3.
    void greet() {
      if (!hear().empty()) {
        say("%1\r\n$5\r\nproto\r\n:3\r\n");
      }
    }

   private:
    [[nodiscard]] std::string line() {
      std::string text;
      while (!text.ends_with("\r\n")) {
        const std::string byte = bytes(1);
        if (byte.empty()) {
          return {};
        }
        text += byte;
      }
      return text.substr(0, text.size() - 2);
    }
    [[nodiscard]] std::string bytes(std::size_t count) const {
      std::string text(count, '\0');
      return ::recv(fd_, text.data(), count, MSG_WAITALL) == static_cast<ssize_t>(count)
                 ? text
                 : std::string();
    }

    int fd_;
    int number_;
  };

  explicit RedisScript(std::function<void(Peer&)> serve) : serve_(std::move(serve)) {
    listening_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof address;
    (void)::bind(listening_, reinterpret_cast<const sockaddr*>(&address), length);
    (void)::listen(listening_, 64);
    (void)::getsockname(listening_, reinterpret_cast<sockaddr*>(&address), &length);
    port_ = ntohs(address.sin_port);
    accepting_ = std::thread([this] { accept_all(); });
  }
  ~RedisScript() {
    ::shutdown(listening_, SHUT_RDWR);
    accepting_.join();
    {
      const std::scoped_lock lock(guard_);
      for (const int fd : open_) {
        ::shutdown(fd, SHUT_RDWR);
      }
    }
    for (std::thread& one : serving_) {
      one.join();
    }
    ::close(listening_);
  }
  RedisScript(const RedisScript&) = delete;
  RedisScript& operator=(const RedisScript&) = delete;

  [[nodiscard]] std::string url() const { return "redis://127.0.0.1:" + std::to_string(port_); }
  /// Returns the number of connections so far.
  [[nodiscard]] int connections() const noexcept { return connections_; }

 private:
  void accept_all() {
    while (true) {
      const int fd = ::accept4(listening_, nullptr, nullptr, SOCK_CLOEXEC);
      if (fd < 0) {
        return;
      }
      const int is_on = 1;  // parts of a response must not wait for acknowledgments
      (void)::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &is_on, sizeof is_on);
      const std::scoped_lock lock(guard_);
      open_.push_back(fd);
      serving_.emplace_back([this, fd, number = ++connections_] { serve(fd, number); });
    }
  }
  void serve(int fd, int number) {
    Peer peer(fd, number);
    serve_(peer);
    const std::scoped_lock lock(guard_);
    std::erase(open_, fd);
    ::close(fd);
  }

  std::function<void(Peer&)> serve_;
  int listening_ = -1;
  int port_ = 0;
  std::atomic<int> connections_ = 0;
  std::mutex guard_;
  std::vector<int> open_;
  std::vector<std::thread> serving_;
  std::thread accepting_;
};

}  // namespace eider
