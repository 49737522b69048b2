// A database error, thrown; if a handler does not catch it, it becomes the response.
// Layering: must not show the statement or the schema to the client; the log does.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "eider/core/base/failure.h"
#include "eider/core/base/refused_value.h"

namespace eider::db {

enum class FailureKind : std::uint8_t {
  open,           // the database cannot be opened
  statement,      // the statement is invalid, or not allowed here
  values,         // the values do not fit the statement's parameters
  row,            // a row does not fit the struct
  unique,         // constraint: a row with this value exists
  foreign_key,    // constraint: it refers to a missing row, or another row refers to it
  not_null,       // constraint: a value is missing
  check,          // constraint: a CHECK of the schema
  busy,           // too many calls wait, or another process has locked the database
  expired,        // it took too long, and was rolled back
  storage,        // disk full, input/output error, damaged or read-only file
  deadlock,       // two transactions waited for each other, and this one was rolled back
  serialization,  // another transaction changed data that this one had read: rolled back
  lost,           // no connection, or it was lost: a running statement may have been executed
};

/// The status that the client gets: 409 for constraints, 503 for errors that a later attempt may
/// not meet (busy, expired, deadlock, serialization, lost), else 500. For `values` see
/// Failure::of_value.
[[nodiscard]] int status_of(FailureKind kind) noexcept;

/// The part of the schema that rejected a statement; empty if the database does not report it.
///
/// constraint  its name, "users_email_key". SQLite reports names only for named CHECKs, and for
///             indexes over expressions; for other unique constraints, the name is the one that
///             PostgreSQL would generate ("users_org_name_key", "users_pkey"), whatever the schema
///             contains
/// column      only if there is exactly one
/// line        from 1: of the data that a COPY rejected, or of the script in which the database
///             found the error; otherwise 0
struct RefusedBy {
  std::string constraint{};
  std::string table{};
  std::string column{};
  std::int64_t line = 0;
};

class Failure : public eider::Failure, public CausedByValue {
 public:
  /// cause  the complete error, for the log
  Failure(FailureKind kind, std::string cause, RefusedBy by = {});
  /// The same failure with another response for the client.
  Failure(const Failure& failure, Error answer);
  /// Returns a failure of kind `values` that a bound value caused: the client gets a 422 instead of
  /// a 500.
  ///
  /// refused  the value, if it is known
  [[nodiscard]] static Failure of_value(std::string cause, RefusedBy by = {},
                                        std::optional<RefusedValue> refused = std::nullopt);

  [[nodiscard]] FailureKind kind() const noexcept { return kind_; }
  /// Returns details for the handler; the client does not see them.
  [[nodiscard]] const RefusedBy& by() const noexcept { return by_; }
  /// Returns the cause.
  [[nodiscard]] const char* what() const noexcept override { return cause_.c_str(); }
  [[nodiscard]] const RefusedValue* refused() const noexcept override { return refused_.get(); }
  [[nodiscard]] std::optional<std::string> find_in_json(std::string_view text) const override;

 private:
  FailureKind kind_;
  std::string cause_;
  RefusedBy by_;
  std::shared_ptr<const RefusedValue> refused_;
};

}  // namespace eider::db
