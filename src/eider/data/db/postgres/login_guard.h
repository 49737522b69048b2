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

/// As soon as libpq has a socket without TLS it gets one end of a pair instead. What the server
/// says is read here first, message by message, and passed on when it does not ask for a password
/// in one of these ways. Unix sockets are left alone, and so is TLS.
class LoginGuard {
 public:
  /// allowed  "md5,password": what the program asks for by `require_auth`
  LoginGuard(PGconn* connection, std::string allowed) noexcept
      : connection_(connection), allowed_(std::move(allowed)) {}

  enum class Next : std::uint8_t { go_on, wait, refused };
  /// To be called before each step of libpq.
  ///
  /// returns  wait: libpq has nothing to read yet; refused: why() says why
  [[nodiscard]] Next before_step();
  /// To be called after each step.
  ///
  /// returns  false when the connection is of no use any more
  [[nodiscard]] bool after_step();
  /// libpq has connected, and gets the server's socket back.
  ///
  /// returns  false when it cannot be given back
  [[nodiscard]] bool finish();

  /// The socket to wait for.
  [[nodiscard]] int socket() const noexcept;
  [[nodiscard]] const std::string& why() const noexcept { return why_; }

 private:
  [[nodiscard]] bool begin(int fd);
  void drop() noexcept;
  /// libpq still has the end of the pair, and has not gone on to another host.
  [[nodiscard]] bool is_between() const noexcept;
  /// The server is asked whether it has TLS, and has not agreed on it yet.
  [[nodiscard]] bool is_negotiating() const noexcept;
  [[nodiscard]] Next take_negotiation();
  [[nodiscard]] Next take_messages();
  [[nodiscard]] bool receive();
  /// returns  how many bytes of what has come are whole messages; nothing: see why()
  [[nodiscard]] std::optional<std::size_t> find_messages();
  [[nodiscard]] Next refuse(std::string why);

  PGconn* connection_;
  std::string allowed_;
  Descriptor server_;   // the server's socket, while libpq has the pair
  Descriptor outside_;  // the other end of the pair
  ino_t pair_ = 0;      // libpq's end
  ino_t agreed_ = 0;    // the socket over which TLS was agreed on
  bool is_ended_ = false;
  std::string came_;  // and is not passed on yet
  std::string why_;
};

}  // namespace eider::db::postgres
