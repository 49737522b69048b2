// A client's seal and a server's; the test passes the bytes between them.
// Layering: must not be used outside of tests.
#pragma once

#include <algorithm>
#include <array>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <string_view>

#include "eider/io/runtime/seal.h"

namespace eider::detail::tls {

class TestPair {
 public:
  TestPair(std::unique_ptr<Seal> client_seal, std::unique_ptr<Seal> server_seal)
      : client(std::move(client_seal)), server(std::move(server_seal)) {
    client->start(to_server);
    server->start(to_client);
  }

  /// Passes bytes until none are left. Returns whether both sides are open.
  ///
  /// bytes_max  the maximum number of bytes at once
  bool shake_hands(std::size_t bytes_max = std::numeric_limits<std::size_t>::max()) {
    while (!to_server.empty() || !to_client.empty()) {
      pass(to_server, *server, to_client, at_server, bytes_max);
      pass(to_client, *client, to_server, at_client, bytes_max);
    }
    return is_open();
  }

  [[nodiscard]] bool is_open() const {
    return client->state() == SealState::open && server->state() == SealState::open;
  }

  /// Passes all bytes of `wire` to `seal`, and appends its plaintext to `plain`.
  static void pass(Buffer& wire, Seal& seal, Buffer& back, std::string& plain,
                   std::size_t bytes_max) {
    const std::string bytes(wire.view());
    wire.clear();
    for (std::size_t at = 0; at < bytes.size(); at += std::min(bytes_max, bytes.size() - at)) {
      static_cast<void>(seal.feed(std::string_view(bytes).substr(at, bytes_max), back));
      read_all(seal, back, plain);
    }
  }

  static void read_all(Seal& seal, Buffer& back, std::string& plain) {
    std::array<char, 4096> room{};
    while (const std::size_t count = seal.read(room, back)) {
      plain.append(room.data(), count);
    }
  }

  std::unique_ptr<Seal> client;
  std::unique_ptr<Seal> server;
  Buffer to_server;
  Buffer to_client;
  std::string at_server;
  std::string at_client;
};

}  // namespace eider::detail::tls
