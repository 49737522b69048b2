// The parts that few connections need: PROXY header, another protocol, a slow reader.
// Layering: must not be included outside of a connection's own files and those of HTTP/1.1's part.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "eider/core/base/buffer.h"
#include "eider/io/runtime/upgraded_stream.h"
#include "eider/protocols/http/proxy_protocol.h"
#include "eider/server/connection.h"

namespace eider::detail::server {

/// Another protocol, and the line that it speaks on.
class Connection::Held final : public runtime::UpgradedStream {
 public:
  Held(Connection& connection, Spoken its_spoken) noexcept
      : runtime::UpgradedStream(connection.stream_), spoken(its_spoken), connection_(connection) {}

  [[nodiscard]] std::string address() const override { return connection_.address(); }
  [[nodiscard]] std::optional<TlsInfo> tls() const override { return connection_.tls(); }
  [[nodiscard]] Duration comes_back_in() noexcept override {
    return connection_.context_.next_pause();
  }
  /// Not at once: the protocol may be in the midst of a call.
  void close() noexcept override {
    connection_.enter(Stage::closed);
    connection_.context_.loop.arm(connection_.alarm_, connection_.context_.loop.now());
  }

  const Spoken spoken;
  std::unique_ptr<Upgraded> protocol;
  bool is_stopping = false;

 private:
  Connection& connection_;
};

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

/// An answer that has not left whole yet, and a copy of what is told of its request.
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
  std::optional<Held> held;
  std::unique_ptr<UnsentH1> unsent;
  std::unique_ptr<Pace> pace;  // of a slow reader
  std::unique_ptr<Room> room;  // of a request that waits for it
  std::unique_ptr<Lingering> lingering;
};

}  // namespace eider::detail::server
