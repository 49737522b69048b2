// What is told of a connection: what is spoken on it, whether it is busy, what waits to leave.
// Must not decide anything about it.
#pragma once

#include <cstddef>

#include "eider/server/connection.h"

namespace eider::detail::server {

/// Made for one call.
class ConnectionLook {
 public:
  explicit ConnectionLook(Connection& connection) noexcept : connection_(connection) {}

  [[nodiscard]] Spoken spoken() const noexcept;
  /// Something has been asked that is not answered, or waits to leave; of another protocol than
  /// HTTP/1.1: something waits to leave.
  [[nodiscard]] bool is_busy() const noexcept;
  /// What the client has not taken of what was sent, beside what the kernel holds.
  [[nodiscard]] std::size_t waiting_bytes() const noexcept;

  /// From now on it is counted by what that stage speaks.
  void enter(Connection::Stage stage) noexcept;
  /// It is counted no more, whatever its protocol still does to it.
  void end_count() noexcept;

 private:
  Connection& connection_;
};

}  // namespace eider::detail::server
