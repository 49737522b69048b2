#include "eider/data/db/mariadb/bulk.h"

#include <exception>
#include <optional>
#include <string>
#include <utility>

#include "eider/data/db/mariadb/bulk_rows.h"
#include "eider/data/db/statement_text.h"

namespace eider::db::mariadb {
namespace {

/// What goes in one round trip.
constexpr std::size_t kPieceBytes = std::size_t{64} << 10U;
constexpr std::size_t kPieceRowsMax = 4096;

class BulkJob final : public Job {
 public:
  BulkJob(SqlText sql, BulkRows rows) : sql_(std::move(sql)), rows_(std::move(rows)) {}
  [[nodiscard]] Request start() noexcept override {
    return {.what = Request::What::statement, .sql = sql_.view(), .bulk = &rows_};
  }
  [[nodiscard]] std::string_view statement() const noexcept override { return sql_.view(); }
  BulkRows take() {
    rethrow();
    return std::move(rows_);
  }

 private:
  SqlText sql_;
  BulkRows rows_;
};

/// A backtick makes a name of any word.
SqlText insert_statement(std::string_view table, const reflect::Type& row) {
  if (!detail::is_table_name(table)) {
    throw Failure(FailureKind::statement, "no table is called so: " + std::string(table));
  }
  std::string columns;
  std::string values;
  for (const reflect::Member& member : row.structure()) {
    if (!detail::is_name(member.name)) {
      throw Failure(FailureKind::statement,
                    "no column is called as this member: " + std::string(member.name));
    }
    const std::string comma = columns.empty() ? "" : ", ";
    columns += comma + "`" + std::string(member.name) + "`";
    values += comma + "?";
  }
  return SqlText(
      RuntimeSql{"insert into " + std::string(table) + "(" + columns + ") values(" + values + ")"});
}

}  // namespace

struct BulkInserter::State {
  Route route;
  SqlText sql;
  BulkRows rows;
  std::int64_t sent = 0;
  bool is_begun = false;  // something may have been sent
  bool is_asking = false;
  bool is_over = false;
  std::exception_ptr failure{};
  std::optional<Transaction> own{};  // where it is in none

  State(Route on, SqlText statement, const reflect::Type& row)
      : route(std::move(on)), sql(std::move(statement)), rows(row) {}
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  /// What was sent is not to be kept: a transaction that this is a part of is over, too.
  ~State() {
    if (!is_over) {
      break_off();
    }
  }

  void break_off() noexcept {
    if (!own && is_begun && route.transaction() != nullptr) {
      route.leave();
    }
    own.reset();
    is_over = true;
  }
  void check() const {
    if (failure != nullptr) {
      std::rethrow_exception(failure);
    }
    if (is_asking || is_over) {
      throw Failure(FailureKind::statement,
                    is_over ? "a bulk insert was ended, and goes on"
                            : "a bulk insert goes on while it waits, or behind a wait that was "
                              "given up");
    }
  }
  /// A row of this piece, of all.
  [[nodiscard]] Failure told_among_all(const Failure& told) const {
    RefusedBy by = told.by();
    by.line += by.line == 0 ? 0 : sent;
    return {told.kind(), told.what(), std::move(by)};
  }

  enum class Step : std::uint8_t { piece, last };
  Task<> take(Step step);
  Task<> send();
};

Task<> BulkInserter::State::send() {
  if (route.transaction() == nullptr) {
    Pending<detail::BeginJob> begun(
        route, Lane::streaming,
        std::make_unique<detail::BeginJob>(route.pool(), detail::BeginJob::Use::load));
    own.emplace(co_await begun);
    route = static_cast<const Statements&>(*own).route();
  }
  is_begun = true;
  const auto count = static_cast<std::int64_t>(rows.count());
  Pending<BulkJob> asked(route, Lane::streaming, std::make_unique<BulkJob>(sql, std::move(rows)));
  rows = co_await asked;
  rows.clear();
  sent += count;
}

/// One that was given up has left its rows half way: nothing may follow it.
Task<> BulkInserter::State::take(Step step) {
  is_asking = true;
  try {
    if (rows.count() != 0) {
      co_await send();
    }
    if (step == Step::last && own) {
      co_await own->commit();
    }
  } catch (const Failure& told) {
    failure = std::make_exception_ptr(told_among_all(told));
  } catch (...) {
    failure = std::current_exception();
  }
  is_asking = false;
  if (failure != nullptr) {
    break_off();
    std::rethrow_exception(failure);
  }
}

BulkInserter::BulkInserter(const Statements& on, std::string_view table, const reflect::Type& row) {
  if (on.route().pool()->dialect() != Dialect::mariadb) {
    throw Failure(FailureKind::statement, "bulk_insert is MariaDB's: " + std::string(table));
  }
  state_ = std::make_unique<State>(on.route(), insert_statement(table, row), row);
}

BulkInserter::BulkInserter(BulkInserter&&) noexcept = default;
BulkInserter::~BulkInserter() = default;

bool BulkInserter::try_add(const void* object) {
  State& state = *state_;
  state.check();
  state.rows.add(object);
  return state.rows.bytes() < kPieceBytes && state.rows.count() < kPieceRowsMax;
}

Task<> BulkInserter::go_on(const void* /*object*/) {
  co_await state_->take(State::Step::piece);
}

Task<Changed> BulkInserter::finish() {
  State& state = *state_;
  state.check();
  co_await state.take(State::Step::last);
  state.own.reset();
  state.is_over = true;
  const Changed changed{.rows = state.sent};
  co_return changed;
}

}  // namespace eider::db::mariadb
