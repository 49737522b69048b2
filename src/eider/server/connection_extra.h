// The parts that few connections need: PROXY header, a slow reader.
// Layering: must not be included outside of a connection's own files and those of HTTP/1.1's part.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "eider/core/base/buffer.h"
#include "eider/io/runtime/output_budget.h"
#include "eider/protocols/http/proxy_protocol.h"
#include "eider/server/connection.h"

namespace eider::detail::server {

/// The next request of HTTP/1.1 waits until the loop's output budget has room.
class Connection::Room final : public runtime::RoomWaiter {
 public:
  explicit Room(Connection& connection) noexcept : connection_(connection) {}

  static void await(Connection& connection);
  /// As StreamH1::probe: a client that has closed its half may have disconnected, and answers this
  /// with a reset then.
  void probe();
  /// HTTP/1.1 goes on as after output that has left.
  void on_room() override { connection_.on_drained(); }

 private:
  Connection& connection_;
};

/// A response that has not left whole yet, and a copy of what is told of its request.
struct UnsentH1 {
  Request request;  // with the extensions, which observers may look into
  int status;
  std::uint64_t bytes_in;
  std::uint64_t bytes_out;
  std::uint64_t waiting_bytes;  // when it was last looked at
  Instant began;
};

/// After the last response: what arrives is ignored until the client closes its side.
struct Lingering {
  std::size_t bytes = 0;
  Instant until;
};

/// What comes ahead of a protocol.
struct Connection::Opening {
  ProxyReader proxy_reader;
  SealMaker* seals = nullptr;  // for behind the balancer's word
  Buffer first;                // what may begin another protocol
};

/// As Peer::address.
struct Connection::Client {
  std::string address;
  bool is_proxied;  // a proxy has sent it
};

/// WebSockets are many: what they do not need costs them a pointer.
struct Connection::Extra {
  std::unique_ptr<Opening> opening;
  std::unique_ptr<const Client> client;  // of a proxy's header, or after its address was needed
  std::unique_ptr<UnsentH1> unsent;
  std::unique_ptr<Pace> pace;  // of a slow reader
  std::unique_ptr<Room> room;  // of a request that waits for it
  std::unique_ptr<Lingering> lingering;
};

}  // namespace eider::detail::server
