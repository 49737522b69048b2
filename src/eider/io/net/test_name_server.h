// For tests: a name server on loopback with configurable responses.
// Layering: must not be used outside of tests.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "eider/io/runtime/descriptor.h"

namespace eider::testing {

/// Addresses by name and type ("A a.test", "AAAA a.test"). The address "silence": no response;
/// "late": the response comes 150 ms later.
class NameServer {
 public:
  using Zone = std::map<std::string, std::vector<std::string>>;

  NameServer(Zone zone, std::uint32_t ttl) : zone_(std::move(zone)), ttl_(ttl) {
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t bytes = sizeof(at);
    const timeval limit{.tv_sec = 0, .tv_usec = 20000};
    ::setsockopt(fd_.get(), SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
    ::bind(fd_.get(), reinterpret_cast<sockaddr*>(&at), bytes);
    ::getsockname(fd_.get(), reinterpret_cast<sockaddr*>(&at), &bytes);
    port_ = ntohs(at.sin_port);
    thread_ = std::thread([this] { serve(); });
  }
  ~NameServer() {
    is_over_ = true;
    thread_.join();
  }

  /// For ClientOptions::dns_servers.
  [[nodiscard]] std::string address() const { return "127.0.0.1:" + std::to_string(port_); }
  /// Returns how often the name was queried.
  [[nodiscard]] int asked(const std::string& question) {
    const std::lock_guard lock(mutex_);
    return asked_[question];
  }

 private:
  static constexpr std::size_t kHeaderBytes = 12;
  static constexpr int kTypeA = 1;
  static constexpr int kTypeAaaa = 28;

  void serve() {
    std::string in(512, '\0');
    while (!is_over_) {
      sockaddr_in from{};
      socklen_t from_bytes = sizeof(from);
      const ssize_t got = ::recvfrom(fd_.get(), in.data(), in.size(), 0,
                                     reinterpret_cast<sockaddr*>(&from), &from_bytes);
      if (got > static_cast<ssize_t>(kHeaderBytes)) {
        const std::string out = answer(in.substr(0, static_cast<std::size_t>(got)));
        if (!out.empty()) {
          ::sendto(fd_.get(), out.data(), out.size(), 0, reinterpret_cast<sockaddr*>(&from),
                   from_bytes);
        }
      }
    }
  }

  std::string answer(const std::string& query) {
    std::size_t at = kHeaderBytes;
    std::string name;
    while (at < query.size() && query[at] != '\0') {
      const auto bytes = static_cast<std::size_t>(query[at]);
      name.append(name.empty() ? "" : ".").append(query.substr(at + 1, bytes));
      at += bytes + 1;
    }
    const int type = query[at + 2];
    const std::string question = (type == kTypeA ? "A " : "AAAA ") + name;
    {
      const std::lock_guard lock(mutex_);
      ++asked_[question];
    }
    const bool is_known = zone_.contains("A " + name) || zone_.contains("AAAA " + name);
    const auto found = zone_.find(question);
    auto addresses = found == zone_.end() ? std::vector<std::string>() : found->second;
    if (std::ranges::find(addresses, "silence") != addresses.end()) {
      return {};
    }
    if (std::erase(addresses, "late") != 0) {
      std::this_thread::sleep_for(std::chrono::milliseconds(150));
    }
    std::string out = query.substr(0, 2) + "\x81" + (is_known ? "\x80" : "\x83");
    out.append({'\0', '\1', '\0', static_cast<char>(addresses.size()), '\0', '\0', '\0', '\0'});
    out.append(query.substr(kHeaderBytes, at + 5 - kHeaderBytes));
    for (const std::string& address : addresses) {
      out.append(record(type, address));
    }
    return out;
  }

  [[nodiscard]] std::string record(int type, const std::string& address) const {
    std::string out("\xC0\x0C\0", 3);
    out.push_back(static_cast<char>(type));
    out.append({'\0', '\1'});
    for (const unsigned shift : {24U, 16U, 8U, 0U}) {
      out.push_back(static_cast<char>(ttl_ >> shift));
    }
    const std::size_t bytes = type == kTypeAaaa ? 16 : 4;
    out.append({'\0', static_cast<char>(bytes)});
    std::string raw(bytes, '\0');
    ::inet_pton(type == kTypeAaaa ? AF_INET6 : AF_INET, address.c_str(), raw.data());
    return out + raw;
  }

  Zone zone_;
  std::uint32_t ttl_;
  Descriptor fd_{::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0)};
  std::uint16_t port_ = 0;
  std::mutex mutex_;
  std::map<std::string, int> asked_;
  std::atomic<bool> is_over_ = false;
  std::thread thread_;
};

}  // namespace eider::testing
