// Converts SQLSTATE codes of PostgreSQL to failures.
// Layering: must not put values of rows into a cause, because it is logged.
#pragma once

#include <cstdint>
#include <exception>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "eider/data/db/failure.h"
#include "eider/data/db/postgres/messages.h"
#include "eider/data/db/value.h"

namespace eider::db::postgres {

[[nodiscard]] inline std::exception_ptr failure(FailureKind kind, std::string cause) {
  return std::make_exception_ptr(Failure(kind, std::move(cause)));
}

/// Returns the kind of failure for a five-letter code; `statement` for unspecific codes.
[[nodiscard]] FailureKind kind_of_sqlstate(std::string_view code) noexcept;

/// Returns the column of "Key (email)=(a@b) already exists."; empty for several columns.
[[nodiscard]] std::string column_of_detail(std::string_view detail);

/// doing  the attempted action, such as the SQL text
[[nodiscard]] Failure failure_of(const Refusal& refusal, std::string_view doing);
/// The same for a statement with bound values: invalid values are not a mistake in the application.
///
/// widened  a number that was sent with a larger type than the statement expects
[[nodiscard]] Failure failure_of(const Refusal& refusal, std::string_view doing,
                                 std::span<const Value> values,
                                 std::optional<std::int64_t> widened);

/// The same for a script, with the line of the error if the server sends its position.
[[nodiscard]] Failure failure_of_script(const Refusal& refusal, std::string_view script);

/// The connection was lost after a statement was sent.
[[nodiscard]] std::exception_ptr failure_of_loss(const std::string& why, std::string_view sql);
/// The rows have more bytes than result_bytes_max.
[[nodiscard]] std::exception_ptr failure_of_size(std::string_view sql);
/// A script contains a COPY statement.
[[nodiscard]] std::exception_ptr failure_of_copy(std::string_view sql);

/// Why a prepared statement may have failed that would succeed if it is prepared again.
///
/// plan   its plan is for a schema that has changed
/// types  the types of its parameters may have changed
/// gone   it was deallocated
enum class Staleness : std::uint8_t { none, plan, types, gone };

[[nodiscard]] Staleness staleness_of(const Refusal& refusal) noexcept;

/// Returns whether the statement itself has failed, not a function that it called.
[[nodiscard]] bool is_of_statement(const Refusal& refusal) noexcept;

/// Returns a message of libpq in one line.
[[nodiscard]] std::string one_line(std::string_view message);

/// An error before the connection is established.
///
/// text         in one line
/// is_rejected  the server has rejected the login, and will do so again
struct LoginError {
  std::string text{};
  bool is_rejected = false;
};

/// message  of libpq, with PQERRORS_VERBOSE
[[nodiscard]] LoginError read_login_error(std::string_view message);

}  // namespace eider::db::postgres
