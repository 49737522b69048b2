#include "eider/data/db/postgres/statement_sender.h"

#include <algorithm>
#include <new>
#include <string>
#include <utility>

#include "eider/data/db/failure.h"
#include "eider/data/db/postgres/postgres_error.h"
#include "eider/data/db/postgres/statement_kinds.h"

namespace eider::db::postgres {
namespace {

/// The server would run the following statements and functions, while its data is not read.
void refuse_copy(const Prepared* statement, std::string_view sql) {
  if (statement == nullptr ? is_copy(sql) : statement->is_copy) {
    throw Failure(FailureKind::statement, "COPY is not supported by exec, one and all");
  }
}

}  // namespace

const Part* StatementSender::find_unprepared(std::span<const Part> parts) {
  parts_ = parts;
  found_.clear();
  if (parts.size() > statements_max_) {
    return nullptr;
  }
  // `find` moves prepared statements to the front, so preparing another one does not evict these.
  Prepared* last = nullptr;
  for (const Part& part : parts) {
    if (last == nullptr || last->sql != part.sql) {  // many have the same text and other values
      last = prepared_.find(part.sql);
    }
    found_.push_back(last);
    if (last == nullptr && !part.is_done && !is_fetch(part.sql)) {
      return &part;
    }
  }
  return nullptr;
}

bool StatementSender::send_forgetting() {
  std::string name;
  if (stale_.empty()) {
    name = prepared_.take_oldest().name;
  } else {
    name = std::move(stale_.back());
    stale_.pop_back();
  }
  return wire_.send_plain("deallocate " + name);
}

void StatementSender::forget(std::string_view sql, bool is_gone) {
  if (Prepared* const statement = prepared_.find(sql)) {
    std::ranges::replace(found_, statement, static_cast<Prepared*>(nullptr));
  }
  auto forgotten = prepared_.take(sql);
  if (forgotten && !is_gone) {
    stale_.push_back(std::move(forgotten->name));
  }
}

bool StatementSender::is_old(const Part& part) {
  if (found_.empty()) {
    return false;  // no statements are prepared
  }
  const Prepared* known = prepared_.find(part.sql);
  return known == nullptr || known->number <= job_begin_;
}

/// First requests the parameter types from the server: they allow the binary format, also for rows.
bool StatementSender::send_preparation(std::string_view sql) {
  ++names_;
  in_preparation_ = {.sql = std::string(sql),
                     .number = names_,
                     .name = "eider_" + std::to_string(names_),
                     .is_copy = is_copy(sql),
                     .parameters = {}};
  return wire_.send_preparation(in_preparation_);
}

void StatementSender::take_types(std::string_view body) {
  in_preparation_.parameters = read_types(body);
}

void StatementSender::take_columns(std::string_view body) {
  const std::vector<Column> columns = read_columns(body);
  for (const Column& column : columns) {
    if (!is_known_in_binary(column.type)) {
      in_preparation_.rows = Format::text;
    }
  }
  in_preparation_.shape.keep(columns, in_preparation_.rows);
}

bool StatementSender::forget_old(const Part& part) {
  const bool is_of_earlier_job = is_old(part);
  if (is_of_earlier_job) {
    forget(part.sql, false);
  }
  return is_of_earlier_job;
}

bool StatementSender::forget_stale(const Part& part, const Refusal& refusal) {
  const Staleness staleness = staleness_of(refusal);
  if (staleness == Staleness::none || (staleness == Staleness::types && !is_old(part))) {
    return false;
  }
  forget(part.sql, staleness == Staleness::gone);
  return is_of_statement(refusal);
}

void StatementSender::bind(const Part& part) {
  const Prepared* statement = found_of(part);
  refuse_copy(statement, part.sql);
  if (const auto number = wire_.bind(statement, part.values)) {
    widened_ = {&part, *number};
    found_[static_cast<std::size_t>(&part - parts_.data())] = nullptr;  // it has other types now
  }
}

bool StatementSender::add(const Part& part, std::size_t first) try {
  Prepared* const statement = found_of(part);
  const std::size_t count = part.values.size();
  return statement == nullptr ? wire_.add_unprepared(part.sql, first, count)
                              : wire_.add_prepared(*statement, first, count);
} catch (const std::bad_alloc&) {
  return false;  // a message is incomplete
}

StatementSender::Sending StatementSender::send(JobProgress& course) {
  const Part* unprepared = find_unprepared(course.parts());
  if (unprepared == nullptr) {
    return course.is_one_round() ? send_batch(course) : send_each(course);
  }
  course.go_to(*unprepared);
  return is_full() ? Sending{.what = Sending::What::forgetting, .is_sent = send_forgetting()}
                   : Sending{.what = Sending::What::preparation,
                             .is_sent = send_preparation(unprepared->sql)};
}

/// A separate round for each statement, so that a failure does not affect the next one.
StatementSender::Sending StatementSender::send_each(JobProgress& course) {
  Sending sending{.what = Sending::What::statements, .rounds = 0};
  for (Part& part : course.parts()) {
    if (part.is_done) {
      continue;
    }
    try {
      wire_.make_room(part.values.size());
      bind(part);
      sending.is_sent = sending.is_sent && add(part, 0) && wire_.end_round();
      ++sending.rounds;
    } catch (...) {  // invalid values; no part of it was sent
      if (!course.was_retried() && forget_old(part)) {
        break;  // the statements after it are sent later
      }
      course.finish(part, std::current_exception());
    }
  }
  course.go_to_first_undone();
  if (sending.rounds == 0 && course.has_undone()) {
    course.note_retry();
    return send(course);
  }
  return sending;
}

/// One round, of which the server runs all statements or none. So invalid values are detected
/// before anything is sent.
StatementSender::Sending StatementSender::send_batch(JobProgress& course) {
  std::size_t values_count = 0;
  for (const Part& part : course.parts()) {
    values_count += part.values.size();
  }
  wire_.make_room(values_count);
  for (const Part& part : course.parts()) {
    try {
      bind(part);
    } catch (...) {
      if (course.is_joined() || (!course.was_retried() && forget_old(part))) {
        course.note_retry();
        return send(course);
      }
      return {.what = Sending::What::statements, .rounds = 0, .failure = std::current_exception()};
    }
  }
  course.go_to(course.parts().front());
  std::size_t first = 0;
  const bool is_sent = std::ranges::all_of(course.parts(), [&](const Part& part) {
    return add(part, std::exchange(first, first + part.values.size()));
  });
  wire_.make_room(0);  // they are written; an idle connection must not keep much memory
  return {.what = Sending::What::statements, .is_sent = is_sent && wire_.end_round()};
}

}  // namespace eider::db::postgres
