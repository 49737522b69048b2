// For tests: a server on a thread that sends the responses of the test, also invalid ones.
// Layering: must not be used outside of tests; it verifies no signature.
#pragma once

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "eider/io/runtime/descriptor.h"

namespace eider::testing {

/// Each response is for one connection.
class ScriptedS3 {
 public:
  /// One request as it came.
  struct Seen {
    std::string head;
    std::string body;

    [[nodiscard]] std::string line() const { return head.substr(0, head.find(" HTTP/")); }
    [[nodiscard]] bool has(std::string_view text) const { return head.contains(text); }
  };

  using Answer = std::function<std::string(const Seen&)>;
  /// What happens to a connection after its response. A download is unread only while its
  /// connection stays open.
  enum class After : std::uint8_t { closes, stays_open };

  /// answers  whole responses, in their order; "": the connection is closed without one
  /// otherwise  answers requests after these; null: with 501
  explicit ScriptedS3(std::vector<std::string> responses, Answer otherwise = nullptr,
                      After after = After::closes)
      : responses_(std::move(responses)), otherwise_(std::move(otherwise)), after_(after) {
    listener_ = Descriptor(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(at);
    auto* const address = reinterpret_cast<sockaddr*>(&at);
    EXPECT_EQ(::bind(listener_.get(), address, size), 0);
    EXPECT_EQ(::listen(listener_.get(), 16), 0);
    EXPECT_EQ(::getsockname(listener_.get(), address, &size), 0);
    port_ = ntohs(at.sin_port);
    thread_ = std::thread([this] { serve(); });
  }
  ScriptedS3(const ScriptedS3&) = delete;
  ScriptedS3& operator=(const ScriptedS3&) = delete;
  ~ScriptedS3() {
    ::shutdown(listener_.get(), SHUT_RDWR);
    thread_.join();
  }

  [[nodiscard]] std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }
  [[nodiscard]] std::vector<Seen> seen() const {
    const std::scoped_lock lock(mutex_);
    return seen_;
  }

  static std::string response(const std::string& status, const std::string& headers,
                              const std::string& body) {
    return "HTTP/1.1 " + status + "\r\nConnection: close\r\n" + headers +
           "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
  }
  static std::string error(const std::string& status, const std::string& code,
                           const std::string& headers = {}) {
    return response(status, headers,
                    "<?xml version=\"1.0\"?><Error><Code>" + code +
                        "</Code><Message>As the test wants.</Message></Error>");
  }

 private:
  void serve() {
    std::size_t next = 0;
    std::vector<Descriptor> open;
    while (true) {
      Descriptor peer(::accept(listener_.get(), nullptr, nullptr));
      if (!peer.is_open()) {
        return;
      }
      const timeval patience{.tv_sec = 60, .tv_usec = 0};
      ::setsockopt(peer.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
      Seen request = read(peer.get());
      const std::string reply = next < responses_.size() ? responses_[next++]
                                : otherwise_             ? otherwise_(request)
                                                         : error("501 None", "NoAnswerIsLeft");
      {
        const std::scoped_lock lock(mutex_);
        seen_.push_back(std::move(request));
      }
      (void)::send(peer.get(), reply.data(), reply.size(), MSG_NOSIGNAL);
      if (after_ == After::stays_open) {
        open.push_back(std::move(peer));
      } else {
        ::shutdown(peer.get(), SHUT_WR);
      }
    }
  }

  static Seen read(int fd) {
    std::string bytes;
    std::size_t end = std::string::npos;
    std::size_t length = 0;
    char part[16384];
    while (end == std::string::npos || bytes.size() < end + 4 + length) {
      const ssize_t count = ::recv(fd, part, sizeof(part), 0);
      if (count <= 0) {
        break;
      }
      bytes.append(part, static_cast<std::size_t>(count));
      if (end == std::string::npos && (end = bytes.find("\r\n\r\n")) != std::string::npos) {
        const std::size_t at = bytes.find("Content-Length: ");
        length = at < end ? std::stoul(bytes.substr(at + 16)) : 0;
      }
    }
    return {bytes.substr(0, end), end == std::string::npos ? "" : bytes.substr(end + 4)};
  }

  std::vector<std::string> responses_;
  Answer otherwise_;
  After after_;
  Descriptor listener_;
  std::uint16_t port_ = 0;
  mutable std::mutex mutex_;
  std::vector<Seen> seen_;
  std::thread thread_;
};

}  // namespace eider::testing
