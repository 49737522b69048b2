#include "eider/data/db/rolled_back_connection.h"

namespace eider::db {

RolledBackConnection::RolledBackConnection(std::unique_ptr<Connection> inner)
    : inner_(std::move(inner)) {
  inner_->begin();
}

RolledBackConnection::~RolledBackConnection() {
  inner_->roll_back();
}

std::optional<Changed> RolledBackConnection::run(std::string_view sql,
                                                 std::span<const Value> values, RowSink* rows,
                                                 const Limit& limit) {
  try {
    return inner_->run(sql, values, rows, limit);
  } catch (...) {
    stay_within();
    throw;
  }
}

void RolledBackConnection::script(std::string_view sql) {
  const bool is_alone = !has_savepoint_;
  if (is_alone) {
    begin();
  }
  try {
    inner_->script(sql);
  } catch (...) {
    stay_within();
    if (is_alone) {
      roll_back();
    }
    throw;
  }
  if (is_alone) {
    commit();
  }
}

void RolledBackConnection::begin() {
  say("savepoint eider_test");
  has_savepoint_ = true;
}

void RolledBackConnection::commit() {
  say("release savepoint eider_test");
  has_savepoint_ = false;
}

void RolledBackConnection::roll_back() noexcept {
  if (!has_savepoint_) {
    return;
  }
  has_savepoint_ = false;
  try {
    say("rollback to savepoint eider_test");
    say("release savepoint eider_test");
  } catch (...) {  // the whole transaction was lost, including the savepoint
    stay_within();
  }
}

void RolledBackConnection::say(std::string_view sql) {
  (void)inner_->run(sql, {}, nullptr, Limit());
}

/// Some failures end a transaction, such as the interruption of a writing statement in SQLite.
/// Begins a new one, so that later changes are not stored either; fails if the transaction still
/// exists.
void RolledBackConnection::stay_within() noexcept {
  try {
    inner_->begin();
  } catch (...) {  // it still exists
    return;
  }
}

}  // namespace eider::db
