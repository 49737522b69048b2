#include "eider/data/db/postgres/answers.h"

#include "eider/data/db/describe.h"
#include "eider/data/db/postgres/postgres_error.h"
#include "eider/data/db/postgres/statement_kinds.h"

namespace eider::db::postgres {

Answers::Next Answers::take(const Message& message, To to) {
  switch (message.kind) {
    case 'S':  // asynchronous messages: a changed setting, or a notification
    case 'A':
      return Next::go_on;
    case 'E':
      refuse(read_refusal(message.body), to, course_.sql());
      return Next::go_on;
    default:
      return to == To::nothing ? Next::broken : take_asked(message, to);
  }
}

Answers::Next Answers::take_asked(const Message& message, To to) {
  switch (message.kind) {
    case '1':  // complete: Parse, Bind, Close, and no rows follow
    case '2':
    case '3':
    case 'n':
      return Next::go_on;
    case 't':
      sender_.take_types(message.body);
      if (Description* const description = course_.description()) {
        *description = {.parameters = read_types(message.body), .columns = {}};
      }
      return to == To::preparation ? Next::go_on : Next::broken;
    case 'T':
      return describe(message.body, to);
    case 'D':
      take_row(message.body, to);
      return Next::go_on;
    case 'C':
      finish(read_tag(message.body), to);
      return Next::go_on;
    case 'I':  // for an empty query
      finish({}, to);
      return Next::go_on;
    case 'Z':
      wire_.note_ready(read_status(message.body));
      return end_round(to);
    case 'G':
    case 'H':
    case 'W':
      return Next::copy_is_begun;
    default:
      return Next::broken;
  }
}

Answers::Next Answers::end_round(To to) {
  const bool is_whole = to != To::statements || !is_missing_answer();
  begin_next(to);
  is_answered_ = false;
  return is_whole ? Next::round_is_over : Next::broken;
}

/// A statement only counts as executed after its response was received.
bool Answers::is_missing_answer() const noexcept {
  if (failure_ != nullptr) {
    return false;
  }
  return course_.is_one_round()
             ? course_.current() != nullptr
             : !is_answered_ && (course_.current() != nullptr || !course_.plain_text().empty());
}

Answers::Next Answers::take(const PGresult& result, To to, std::string_view doing) {
  begin_next(to);
  switch (PQresultStatus(&result)) {
    case PGRES_COMMAND_OK: {
      const std::string_view tag = PQcmdStatus(const_cast<PGresult*>(&result));
      if (course_.what() == Request::What::transfer) {
        course_.single().changed.rows = rows_of(tag, 0);
      } else {
        note_done(tag);
      }
      return Next::go_on;
    }
    case PGRES_FATAL_ERROR:
    case PGRES_BAD_RESPONSE:
    case PGRES_NONFATAL_ERROR:
      refuse(read_refusal(result), to, doing);
      return Next::go_on;
    case PGRES_COPY_IN:
    case PGRES_COPY_OUT:
    case PGRES_COPY_BOTH:
      return Next::copy_is_begun;
    default:
      return Next::go_on;
  }
}

void Answers::refuse(const Refusal& refusal, To to, std::string_view doing) {
  if (refusal.is_end) {
    wire_.note_said(one_line(refusal.message));
  }
  if (to == To::nothing) {
    return;
  }
  begin_next(to);
  const Part* const part = to == To::statements ? course_.current() : nullptr;
  if (part != nullptr) {
    note_failure(
        std::make_exception_ptr(failure_of(refusal, doing, part->values, sender_.widened(*part))));
  } else if (course_.description() != nullptr) {
    std::string cause = "PostgreSQL: " + std::string(refusal.message);  // contains no values
    cause += refusal.hint.empty() ? "" : " (" + std::string(refusal.hint) + ")";
    note_failure(eider::db::postgres::failure(kind_of_sqlstate(refusal.code), std::move(cause)));
  } else if (course_.what() == Request::What::script) {
    note_failure(std::make_exception_ptr(failure_of_script(refusal, doing)));
  } else {
    note_failure(std::make_exception_ptr(failure_of(refusal, doing)));
  }
  // Another connection may reach the primary server, while this server is a standby.
  has_changed_session_ = has_changed_session_ || refusal.code == "25006";
  if (part != nullptr) {
    is_stale_ = sender_.forget_stale(*part, refusal) || is_stale_;
  }
}

Answers::Next Answers::describe(std::string_view columns, To to) {
  if (to == To::preparation) {
    sender_.take_columns(columns);
    if (Description* const description = course_.description()) {
      for (const Column& column : read_columns(columns)) {
        description->columns.push_back(
            {std::string(column.name), column.type, column.modifier, column.table, column.place});
      }
    }
  } else if (to == To::statements) {
    const Part* const part = course_.current();
    rows_.describe(columns, part == nullptr ? nullptr : sender_.shape_of(*part));
  } else {
    return Next::broken;
  }
  return Next::go_on;
}

/// Ignores the rows of a part that has failed.
void Answers::take_row(std::string_view row, To to) {
  Part* const part = course_.current();
  if (to != To::statements || part == nullptr || failure_ != nullptr) {
    return;
  }
  try {
    rows_.take(row, sender_.shape_of(*part), part->rows);
    if (rows_.bytes() > bytes_max_) {
      note_failure(failure_of_size(part->sql));
    }
  } catch (const Failure& failure) {
    if (failure.kind() == FailureKind::lost) {
      throw;  // not a valid row
    }
    note_failure(std::current_exception());
  } catch (...) {
    note_failure(std::current_exception());
  }
}

void Answers::finish(std::string_view tag, To to) {
  // COMMIT rolls back a transaction with a failed statement, and reports no error.
  if (course_.what() == Request::What::commit && tag == "ROLLBACK") {
    note_failure(eider::db::postgres::failure(
        FailureKind::statement,
        "a statement of the transaction had failed, so the transaction was rolled back"));
  }
  Part* const part = to == To::statements ? course_.current() : nullptr;
  ResultShape* const shape = part == nullptr ? nullptr : sender_.shape_of(*part);
  if (!rows_.has_columns(shape)) {
    note_done(tag);
  }
  if (part != nullptr) {  // otherwise the job was abandoned
    const bool is_wanted = failure_ == nullptr && !tag.empty();
    try {
      const std::int64_t given = rows_.end(shape, is_wanted ? part->rows : nullptr);
      part->changed.rows = rows_of(tag, given);
    } catch (...) {
      note_failure(std::current_exception());
    }
    course_.note_tag(tag);
    course_.note_answer(*part, failure_);
  }
  is_answered_ = true;
  begin_next(to);
}

/// Statements without rows can change the session state.
void Answers::note_done(std::string_view tag) noexcept {
  has_changed_session_ = has_changed_session_ || changes_session(tag, course_.sql());
}

bool Answers::is_too_large() const noexcept {
  return !is_refused_ &&
         (rows_.bytes() > bytes_max_ || wire_.has_row_beyond(bytes_max_ - rows_.bytes()));
}

void Answers::refuse_rest() {
  is_refused_ = true;
  wire_.drop_rows(true);
  note_failure(failure_of_size(course_.sql()));
}

/// The response to another statement follows.
void Answers::begin_next(To to) noexcept {
  rows_.begin();
  is_refused_ = false;
  wire_.drop_rows(to != To::statements);
}

}  // namespace eider::db::postgres
