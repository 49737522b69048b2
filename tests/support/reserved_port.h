// A port that a server of a test run keeps across restarts.
// Layering: must not be linked into an application.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <stdexcept>

#include "eider/io/runtime/descriptor.h"

namespace eider {

/// The system assigns the port to no other program or connection meanwhile. A server that sets
/// SO_REUSEADDR can still use it; while no server listens, connections to it are refused.
class ReservedPort {
 public:
  ReservedPort() : held_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t bytes = sizeof address;
    auto* const at = reinterpret_cast<sockaddr*>(&address);
    if (::bind(held_.get(), at, bytes) != 0 || ::getsockname(held_.get(), at, &bytes) != 0) {
      throw std::runtime_error("a test has no port for its server");
    }
    number_ = ntohs(address.sin_port);
    // After bind(), so that it does not get a port that another object has reserved.
    const int on = 1;
    (void)::setsockopt(held_.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  }

  [[nodiscard]] int number() const noexcept { return number_; }

 private:
  Descriptor held_;
  int number_ = 0;
};

}  // namespace eider
