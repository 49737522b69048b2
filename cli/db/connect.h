// The databases that this build of `eider db` supports.
// Layering: must not know migrations.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "eider/core/base/result.h"
#include "eider/data/db/database.h"

namespace eider {

/// "postgres://…", "postgresql://…" and what begins as "host=…" does are PostgreSQL's, all else is
/// an SQLite file ("sqlite:" or "./" ahead of one whose name begins so).
[[nodiscard]] bool is_postgres_address(std::string_view where) noexcept;
/// "mysql://…", "mariadb://…".
[[nodiscard]] bool is_mariadb_address(std::string_view where) noexcept;
[[nodiscard]] bool is_sqlite_file(std::string_view where) noexcept;
/// The path of an SQLite file, without "sqlite:".
[[nodiscard]] std::string sqlite_file_of(std::string_view where);

/// Libraries know schemes by small letters alone.
[[nodiscard]] std::string with_plain_scheme(std::string where);

/// What is to be done there.
enum class Access : std::uint8_t { reads, writes };

/// Without limits on time: a migration may run for hours.
///
/// access  by one that reads an SQLite file stays as it is
[[nodiscard]] Result<Database, std::string> connect_sqlite(const std::string& where, Access access);
[[nodiscard]] Result<Database, std::string> connect_postgres(const std::string& where);
[[nodiscard]] Result<Database, std::string> connect_mariadb(const std::string& where);
/// Whichever it is.
[[nodiscard]] Result<Database, std::string> open_door(const std::string& where, Access access);

/// Whether all hosts of the address are this machine: an SQLite file, a Unix socket, localhost, or
/// a loopback address. False if the address is not valid, or a service of PostgreSQL sets the host.
[[nodiscard]] bool is_on_this_machine(const std::string& where);
[[nodiscard]] bool is_loopback(std::string_view host);
[[nodiscard]] bool is_local_postgres(const std::string& where);
[[nodiscard]] bool is_local_mariadb(const std::string& where);

/// What libpq's programs take, as variables of this process, so that no password is an argument.
[[nodiscard]] Result<void, std::string> set_postgres_variables(const std::string& where);

/// What MariaDB's programs take, with no password among it.
///
/// options_file  for --defaults-extra-file, as long as this process, or what it becomes, is there
struct MariadbClient {
  std::string options_file;
  std::string database;
};
[[nodiscard]] Result<MariadbClient, std::string> mariadb_client_of(const std::string& where);

}  // namespace eider
