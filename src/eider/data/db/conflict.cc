#include "eider/data/db/conflict.h"

#include "eider/core/base/text.h"

namespace eider::db {

bool Conflict::is_of(const Failure& failure) const noexcept {
  const RefusedBy& by = failure.by();
  if (equals_ignoring_case(by.constraint, constraint_)) {
    return !constraint_.empty();
  }
  const std::size_t dot = constraint_.find('.');
  return failure.kind() == FailureKind::unique && dot != std::string_view::npos &&
         !by.column.empty() && equals_ignoring_case(by.table, constraint_.substr(0, dot)) &&
         equals_ignoring_case(by.column, constraint_.substr(dot + 1));
}

FieldError Conflict::field_of(const Failure& failure) const {
  FieldError field = fault_(member_, text_);
  const bool is_taken = code_.empty() && failure.kind() == FailureKind::unique;
  field.code = is_taken ? "taken" : code_;
  return field;
}

Failure explain(const Failure& failure, std::span<const Conflict> conflicts) {
  for (const Conflict& conflict : conflicts) {
    if (conflict.is_of(failure)) {
      return {failure, Error::invalid({conflict.field_of(failure)}).because(failure.what())};
    }
  }
  return failure;
}

}  // namespace eider::db
