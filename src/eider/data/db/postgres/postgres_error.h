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

/// The kind of failure that a five-letter code means; `statement` for codes that say nothing.
[[nodiscard]] FailureKind kind_of_sqlstate(std::string_view code) noexcept;

/// The column of "Key (email)=(a@b) already exists."; empty when they are several.
[[nodiscard]] std::string column_of_detail(std::string_view detail);

/// doing  what was tried, e.g. the statement's text
[[nodiscard]] Failure failure_of(const Refusal& refusal, std::string_view doing);
/// The same of a statement with bound values: where they do not fit, that is no failure of ours.
///
/// widened  a number that was sent with a larger type than the statement asks for
[[nodiscard]] Failure failure_of(const Refusal& refusal, std::string_view doing,
                                 std::span<const Value> values,
                                 std::optional<std::int64_t> widened);

/// The same of a script, with the line of the error if the server sends its position.
[[nodiscard]] Failure failure_of_script(const Refusal& refusal, std::string_view script);

/// The connection has gone behind a statement that was sent.
[[nodiscard]] std::exception_ptr failure_of_loss(const std::string& why, std::string_view sql);
/// Its rows have more bytes than result_bytes_max.
[[nodiscard]] std::exception_ptr failure_of_size(std::string_view sql);
/// A COPY amid statements of a script.
[[nodiscard]] std::exception_ptr failure_of_copy(std::string_view sql);

/// Why a prepared statement may have failed that would not fail when it is prepared anew.
///
/// plan   its plan is of a schema that has changed
/// types  its parameters may be of types that have changed
/// gone   it was thrown away
enum class Staleness : std::uint8_t { none, plan, types, gone };

[[nodiscard]] Staleness staleness_of(const Refusal& refusal) noexcept;

/// The statement itself has failed, and not something that it had called.
[[nodiscard]] bool is_of_statement(const Refusal& refusal) noexcept;

/// A message of libpq's in one line.
[[nodiscard]] std::string one_line(std::string_view message);

}  // namespace eider::db::postgres
