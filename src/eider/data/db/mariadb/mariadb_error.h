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

/// What the server, or Connector/C, says of what has failed.
struct ServerError {
  unsigned number = 0;
  std::string sqlstate{};
  std::string message{};

  /// Connector/C's own: the connection is of no use any more, whatever the server has done.
  [[nodiscard]] bool is_of_client() const noexcept {
    return number == 0 || (number >= 2000 && number < 3000 && !has_new_columns()) ||
           (number >= 5000 && number < 6000);
  }
  /// The statement was run, and gives other columns than when it was prepared.
  [[nodiscard]] bool has_new_columns() const noexcept { return number == 2057; }
  /// The server says it, and ends the connection.
  [[nodiscard]] bool ends_connection() const noexcept;
  /// The prepared statement is not known any more, or has to be prepared anew: it was not run.
  [[nodiscard]] bool is_of_stale_statement() const noexcept {
    return number == 1243 || number == 1615;
  }
  /// It writes nothing, as a primary that is a replica by now.
  [[nodiscard]] bool is_read_only() const noexcept {
    return number == 1290 || number == 1792 || number == 1836;
  }
};

[[nodiscard]] FailureKind kind_of(const ServerError& error) noexcept;

/// doing  what was tried, e.g. the statement's text
[[nodiscard]] Failure failure_of(const ServerError& error, std::string_view doing);
/// Returns the failure of a statement with bound values: 422 if one of them does not fit.
[[nodiscard]] Failure failure_of_bound(const ServerError& error, std::string_view doing,
                                       std::span<const Value> values);

}  // namespace eider::db::mariadb
