// The databases that this build of `eider db` supports.
// Layering: must not know migrations.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "eider/core/base/result.h"
#include "eider/data/db/database.h"

namespace eider {

/// "postgres://…", "postgresql://…" and texts such as "host=…" are PostgreSQL; all others except
/// the addresses of MariaDB are an SQLite file (write "sqlite:" or "./" before a file name that
/// begins in such a way).
[[nodiscard]] bool is_postgres_address(std::string_view where) noexcept;
/// Returns whether it begins with "mysql://" or "mariadb://".
[[nodiscard]] bool is_mariadb_address(std::string_view where) noexcept;
[[nodiscard]] bool is_sqlite_file(std::string_view where) noexcept;
/// Returns the path of an SQLite file, without "sqlite:".
[[nodiscard]] std::string sqlite_file_of(std::string_view where);

/// Returns the address with its scheme in lower case, because the client libraries require that.
[[nodiscard]] std::string with_plain_scheme(std::string where);

/// Whether the database is only read, or also changed.
enum class Access : std::uint8_t { reads, writes };

/// Connects without time limits, because a migration may run for hours.
///
/// access  with `reads`, an SQLite file is not changed
[[nodiscard]] Result<Database, std::string> connect_sqlite(const std::string& where, Access access);
[[nodiscard]] Result<Database, std::string> connect_postgres(const std::string& where);
[[nodiscard]] Result<Database, std::string> connect_mariadb(const std::string& where);
/// Connects to any of the supported databases.
[[nodiscard]] Result<Database, std::string> open_door(const std::string& where, Access access);

/// Runs a task with a new connection. errors  also if the server cannot be reached at once
[[nodiscard]] Result<void, std::string> on_database(
    const std::string& where, Access access, const std::function<Task<>(const Database&)>& run);

/// Whether all hosts of the address are this machine: an SQLite file, a Unix socket, localhost, or
/// a loopback address. False if the address is not valid, or a service of PostgreSQL sets the host.
[[nodiscard]] bool is_on_this_machine(const std::string& where);
[[nodiscard]] bool is_loopback(std::string_view host);
[[nodiscard]] bool is_local_postgres(const std::string& where);
[[nodiscard]] bool is_local_mariadb(const std::string& where);

/// Sets the variables of this process that libpq's programs read, so that no password is a
/// command-line argument.
[[nodiscard]] Result<void, std::string> set_postgres_variables(const std::string& where);

/// Options for MariaDB's programs, none of which contains a password.
///
/// options_file  for --defaults-extra-file; exists as long as this process, also after an exec
struct MariadbClient {
  std::string options_file;
  std::string database;
};
[[nodiscard]] Result<MariadbClient, std::string> mariadb_client_of(const std::string& where);

}  // namespace eider
