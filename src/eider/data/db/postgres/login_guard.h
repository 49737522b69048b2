// Prevents libpq from sending the password unprotected to a server without TLS.
// Layering: must not be used after the connection is established.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "eider/data/db/postgres/handles.h"
#include "eider/io/runtime/descriptor.h"

namespace eider::db::postgres {

/// If libpq connects without TLS, its socket is replaced with one end of a socket pair. Messages
/// from the server are read here first, and are forwarded unless they request the password in one
/// of these ways. Unix sockets and TLS connections are not changed.
class LoginGuard {
 public:
  /// allowed  "md5,password": allowed with `require_auth`
  LoginGuard(PGconn* connection, std::string allowed) noexcept
      : connection_(connection), allowed_(std::move(allowed)) {}

  enum class Next : std::uint8_t { go_on, wait, refused };
  /// Call this before each step of libpq.
  ///
  /// returns  wait: libpq has nothing to read yet; refused: why() returns the reason
  [[nodiscard]] Next before_step();
  /// Call this after each step.
  ///
  /// returns  false if the connection is no longer usable
  [[nodiscard]] bool after_step();
  /// libpq has connected, and gets the server's socket back.
  ///
  /// returns  false if this fails
  [[nodiscard]] bool finish();

  /// The socket to wait for.
  [[nodiscard]] int socket() const noexcept;
  [[nodiscard]] const std::string& why() const noexcept { return why_; }

 private:
  [[nodiscard]] bool begin(int fd);
  void drop() noexcept;
  /// libpq still uses its end of the pair, and has not continued with another host.
  [[nodiscard]] bool is_between() const noexcept;
  /// The server was asked for TLS, and has not accepted yet.
  [[nodiscard]] bool is_negotiating() const noexcept;
  [[nodiscard]] Next take_negotiation();
  [[nodiscard]] Next take_messages();
  [[nodiscard]] bool receive();
  /// returns  number of received bytes that are complete messages; std::nullopt: see why()
  [[nodiscard]] std::optional<std::size_t> find_messages();
  [[nodiscard]] Next refuse(std::string why);

  PGconn* connection_;
  std::string allowed_;
  Descriptor server_;   // the server's socket, while libpq uses the pair
  Descriptor outside_;  // the other end of the pair
  ino_t pair_ = 0;      // libpq's end
  ino_t agreed_ = 0;    // the socket on which TLS was negotiated
  bool is_ended_ = false;
  std::string came_;  // received, but not forwarded yet
  std::string why_;
};

}  // namespace eider::db::postgres
