// Converts errors of the server to failures.
// Layering: must not put values of rows into a cause, because it is logged.
#pragma once

#include <exception>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "eider/data/db/failure.h"
#include "eider/data/db/value.h"

namespace eider::db::mariadb {

[[nodiscard]] inline std::exception_ptr failure(FailureKind kind, std::string cause) {
  return std::make_exception_ptr(Failure(kind, std::move(cause)));
}

/// An error of the server or of Connector/C.
struct ServerError {
  unsigned number = 0;
  std::string sqlstate{};
  std::string message{};

  /// An error of Connector/C: the connection is not usable, even if the server has run the
  /// statement.
  [[nodiscard]] bool is_of_client() const noexcept {
    return number == 0 || (number >= 2000 && number < 3000 && !has_new_columns()) ||
           (number >= 5000 && number < 6000);
  }
  /// The statement was run, and returns other columns than when it was prepared.
  [[nodiscard]] bool has_new_columns() const noexcept { return number == 2057; }
  /// The server reports this error, and closes the connection.
  [[nodiscard]] bool ends_connection() const noexcept;
  /// The prepared statement is unknown, or must be prepared again: it was not run.
  [[nodiscard]] bool is_of_stale_statement() const noexcept {
    return number == 1243 || number == 1615;
  }
  /// Invalid user or password (1045, 1698), no access to the database, or no such database: waiting
  /// does not help.
  [[nodiscard]] bool is_of_login() const noexcept {
    return number == 1044 || number == 1045 || number == 1049 || number == 1698;
  }
  /// The server is read-only, for example a former primary that is a replica now.
  [[nodiscard]] bool is_read_only() const noexcept {
    return number == 1290 || number == 1792 || number == 1836;
  }
};

[[nodiscard]] FailureKind kind_of(const ServerError& error) noexcept;

/// doing  the attempted action, such as the SQL text
[[nodiscard]] Failure failure_of(const ServerError& error, std::string_view doing);
/// Returns the failure of a statement with bound values: 422 if one of them is invalid.
[[nodiscard]] Failure failure_of_bound(const ServerError& error, std::string_view doing,
                                       std::span<const Value> values);

}  // namespace eider::db::mariadb
