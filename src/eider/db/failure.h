// What a database refused or failed to do, thrown: a handler that does not catch it answers by it.
// Must not tell the client anything of the statement or the schema: that is for the log.
#pragma once

#include <cstdint>
#include <string>

#include "eider/base/failure.h"

namespace eider::db {

enum class FailureKind : std::uint8_t {
  open,         // the database cannot be opened
  statement,    // the statement is not understood, or not allowed here
  values,       // the values do not fit the statement's parameters
  row,          // a row does not fit the struct it is read into
  unique,       // constraint: there is one like this already
  foreign_key,  // constraint: it refers to something that is not there, or is referred to
  not_null,     // constraint: something is missing
  check,        // constraint: a CHECK of the schema
  busy,         // too much waits already, or another process holds the database
  expired,      // it took too long, and was undone
  storage,      // disk full, input/output error, damaged or read-only file
};

/// The status that the client gets: 409 for constraints, 503 for busy and expired, else 500.
[[nodiscard]] int status_of(FailureKind kind) noexcept;

class Failure : public eider::Failure {
 public:
  /// cause  the whole truth, for the log
  Failure(FailureKind kind, std::string cause);

  [[nodiscard]] FailureKind kind() const noexcept { return kind_; }
  /// The cause, always.
  [[nodiscard]] const char* what() const noexcept override { return cause_.c_str(); }

 private:
  FailureKind kind_;
  std::string cause_;
};

}  // namespace eider::db
