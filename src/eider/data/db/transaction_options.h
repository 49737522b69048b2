// Isolation level and retries of a transaction.
// Layering: must not know a driver.
#pragma once

#include <cstdint>

namespace eider {

namespace db {

/// Isolation level of transactions. `server`: the default of the server.
enum class Isolation : std::uint8_t {
  server,
  read_committed,
  repeatable_read,
  serializable,
};

/// Text after `isolation level`; null for the default of the server.
[[nodiscard]] constexpr const char* sql_of(Isolation isolation) noexcept {
  switch (isolation) {
    case Isolation::server:
      break;
    case Isolation::read_committed:
      return "read committed";
    case Isolation::repeatable_read:
      return "repeatable read";
    case Isolation::serializable:
      return "serializable";
  }
  return nullptr;
}

}  // namespace db

struct TransactionOptions {
  /// Isolation level of this transaction. Writing transactions of SQLite run one after the other
  /// and are always serializable. It needs no further round trip, except with MySQL.
  db::Isolation isolation = db::Isolation::server;
  /// Maximum number of attempts of `transaction` if the server rolls it back because of another one
  /// (`serialization`, `deadlock`). `begin` ignores it.
  unsigned tries_max = 1;
};

}  // namespace eider
