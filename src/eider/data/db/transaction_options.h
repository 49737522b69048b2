// How a transaction is begun, and how often it is tried.
// Must not know a driver.
#pragma once

#include <cstdint>

namespace eider {

namespace db {

/// What transactions see of each other; `server` leaves it as the server has it.
enum class Isolation : std::uint8_t {
  server,
  read_committed,
  repeatable_read,
  serialisable,
};

/// Behind `isolation level`; null where the server's own counts.
[[nodiscard]] constexpr const char* sql_of(Isolation isolation) noexcept {
  switch (isolation) {
    case Isolation::server:
      break;
    case Isolation::read_committed:
      return "read committed";
    case Isolation::repeatable_read:
      return "repeatable read";
    case Isolation::serialisable:
      return "serializable";
  }
  return nullptr;
}

}  // namespace db

struct TransactionOptions {
  /// Of this transaction alone. SQLite's write one after the other and are serialisable, whatever
  /// is said here. It costs no round trip, save one with MySQL.
  db::Isolation isolation = db::Isolation::server;
  /// How often `transaction` runs its body at most, where the server takes the transaction back for
  /// another one's sake (`serialisation`, `deadlock`). `begin` knows nothing of a body.
  unsigned tries_max = 1;
};

}  // namespace eider
