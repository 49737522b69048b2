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

/// Makes the next HTTP/1.1 request wait until the loop's output budget has room.
class Connection::Room final : public runtime::RoomWaiter {
 public:
  explicit Room(Connection& connection) noexcept : connection_(connection) {}

  static void await(Connection& connection);
  /// Sends 100 Continue like StreamH1::probe: if the client has closed its half and has in fact
  /// disconnected, it responds with a reset.
  void probe();
  /// Continues HTTP/1.1 in the same way as after drained output.
  void on_room() override { connection_.on_drained(); }

 private:
  Connection& connection_;
};

/// A response that is not fully sent, with a copy of the request's data for the observer.
struct UnsentH1 {
  Request request;  // with its extensions, which observers may read
  int status;
  std::uint64_t bytes_in;
  std::uint64_t bytes_out;
  std::uint64_t waiting_bytes;  // at the last check
  Instant began;
};

/// After the last response: what arrives is ignored until the client closes its side.
struct Lingering {
  std::size_t bytes = 0;
  Instant until;
};

/// Used before the protocol is selected.
struct Connection::Opening {
  ProxyReader proxy_reader;
  SealMaker* seals = nullptr;  // for TLS after the PROXY header
  Buffer first;                // bytes that may start another protocol
};

/// As Peer::address.
struct Connection::Client {
  std::string address;
  bool is_proxied;  // sent by a proxy
};

/// A separate object, so that each of many WebSockets pays only a pointer for parts it does not
/// need.
struct Connection::Extra {
  std::unique_ptr<Opening> opening;
  std::unique_ptr<const Client> client;  // from a PROXY header, or set when first needed
  std::unique_ptr<UnsentH1> unsent;
  std::unique_ptr<Pace> pace;  // of a slow reader
  std::unique_ptr<Room> room;  // of a request that waits for the output budget
  std::unique_ptr<Lingering> lingering;
};

}  // namespace eider::detail::server
