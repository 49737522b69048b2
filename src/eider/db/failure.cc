#include "eider/db/failure.h"

namespace eider::db {
namespace {

/// What the client is told.
const char* detail_of(FailureKind kind) noexcept {
  switch (kind) {
    case FailureKind::unique:
      return "There is one like this already.";
    case FailureKind::foreign_key:
      return "This refers to something that is not there, or something refers to it.";
    case FailureKind::not_null:
    case FailureKind::check:
      return "The stored data does not allow this.";
    case FailureKind::busy:
    case FailureKind::expired:
      return "The database is busy. Try again in a moment.";
    case FailureKind::open:
    case FailureKind::statement:
    case FailureKind::values:
    case FailureKind::row:
    case FailureKind::storage:
      break;
  }
  return "";
}

Error make_error(FailureKind kind, const std::string& cause) {
  const int status = status_of(kind);
  return status == 500 ? Error::internal(cause) : Error(status, detail_of(kind));
}

}  // namespace

int status_of(FailureKind kind) noexcept {
  switch (kind) {
    case FailureKind::unique:
    case FailureKind::foreign_key:
    case FailureKind::not_null:
    case FailureKind::check:
      return 409;
    case FailureKind::busy:
    case FailureKind::expired:
      return 503;
    case FailureKind::open:
    case FailureKind::statement:
    case FailureKind::values:
    case FailureKind::row:
    case FailureKind::storage:
      break;
  }
  return 500;
}

Failure::Failure(FailureKind kind, std::string cause)
    : eider::Failure(make_error(kind, cause)), kind_(kind), cause_(std::move(cause)) {}

}  // namespace eider::db
