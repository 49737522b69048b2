// What a database refused or failed to do, thrown: a handler that does not catch it answers by it.
// Must not tell the client anything of the statement or the schema: that is for the log.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "eider/core/base/failure.h"
#include "eider/core/base/refused_value.h"

namespace eider::db {

enum class FailureKind : std::uint8_t {
  open,           // the database cannot be opened
  statement,      // the statement is not understood, or not allowed here
  values,         // the values do not fit the statement's parameters
  row,            // a row does not fit the struct it is read into
  unique,         // constraint: there is one like this already
  foreign_key,    // constraint: it refers to something that is not there, or is referred to
  not_null,       // constraint: something is missing
  check,          // constraint: a CHECK of the schema
  busy,           // too much waits already, or another process holds the database
  expired,        // it took too long, and was undone
  storage,        // disk full, input/output error, damaged or read-only file
  deadlock,       // two transactions waited for each other, and this one was taken back
  serialisation,  // another transaction changed what this one had read: it was taken back
  lost,  // there is no connection, or it broke: what was under way may have been done or not
};

/// The status that the client gets: 409 for constraints, 503 for errors that a later attempt may
/// not meet (busy, expired, deadlock, serialisation, lost), else 500. For `values` see
/// Failure::of_value.
[[nodiscard]] int status_of(FailureKind kind) noexcept;

/// What of the schema refused a statement; empty where the database does not tell.
///
/// constraint  its name, "users_email_key". SQLite has names only for CHECKs that the schema names,
///             and for indexes over expressions; of what else is unique it is the one that
///             PostgreSQL would have given it ("users_org_name_key", "users_pkey"), whatever the
///             schema calls it
/// column      only where there is exactly one
/// line        from 1: of the data that a COPY refused, or of the script in which the database
/// found
///             the error; else 0
struct RefusedBy {
  std::string constraint{};
  std::string table{};
  std::string column{};
  std::int64_t line = 0;
};

class Failure : public eider::Failure, public CausedByValue {
 public:
  /// cause  the whole truth, for the log
  Failure(FailureKind kind, std::string cause, RefusedBy by = {});
  /// The same failure, for which the client gets `answer`.
  Failure(const Failure& failure, Error answer);
  /// A failure of kind `values` that a bound value caused: the client gets a 422 instead of a 500.
  ///
  /// refused  the value, where it is known
  [[nodiscard]] static Failure of_value(std::string cause, RefusedBy by = {},
                                        std::optional<RefusedValue> refused = std::nullopt);

  [[nodiscard]] FailureKind kind() const noexcept { return kind_; }
  /// For the handler alone: the client is told nothing of it.
  [[nodiscard]] const RefusedBy& by() const noexcept { return by_; }
  /// The cause, always.
  [[nodiscard]] const char* what() const noexcept override { return cause_.c_str(); }
  [[nodiscard]] const RefusedValue* refused() const noexcept override { return refused_.get(); }

 private:
  FailureKind kind_;
  std::string cause_;
  RefusedBy by_;
  std::shared_ptr<const RefusedValue> refused_;
};

}  // namespace eider::db
