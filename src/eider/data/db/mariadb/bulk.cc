#include "eider/data/db/mariadb/bulk.h"

#include <exception>
#include <string>
#include <utility>

#include "eider/data/db/column_names.h"
#include "eider/data/db/mariadb/bulk_rows.h"
#include "eider/data/db/statement_text.h"

namespace eider::db::mariadb {
namespace {

/// Limits for one round trip.
constexpr std::size_t kPieceBytes = std::size_t{64} << 10U;
constexpr std::size_t kPieceRowsMax = 4096;

class BulkJob final : public Job {
 public:
  BulkJob(SqlText sql, BulkRows rows) : sql_(std::move(sql)), rows_(std::move(rows)) {}
  [[nodiscard]] Request start() noexcept override {
    return {.what = Request::What::transfer, .sql = sql_.view(), .transfer = &rows_};
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

/// With backticks, any word can be a name.
SqlText insert_statement(std::string_view table, const reflect::Type& row) {
  if (!detail::is_table_name(table)) {
    throw Failure(FailureKind::statement, "there is no table " + std::string(table));
  }
  std::string columns;
  std::string values;
  for (const reflect::Member& member : row.structure()) {
    if (!detail::is_name(member.name)) {
      throw Failure(FailureKind::statement,
                    "there is no column for the member " + std::string(member.name));
    }
    const std::string comma = columns.empty() ? "" : ", ";
    columns += comma + "`" + std::string(detail::column_name(member.name)) + "`";
    values += comma + "?";
  }
  return SqlText(RuntimeSql{"insert into " + detail::table_sql(table) + "(" + columns +
                            ") values(" + values + ")"});
}

}  // namespace

struct BulkInserter::State : RowCourse {
  BulkRows rows;
  std::int64_t sent = 0;
  bool is_begun = false;  // rows may have been sent

  State(const Statements& on, std::string_view table, const reflect::Type& row)
      : RowCourse(on, statement(on, table, row), "a bulk insert"), rows(row) {}
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  /// Rows that were sent must not be kept, so the surrounding transaction also ends.
  ~State() {
    if (!is_over_) {
      break_off();
    }
  }

  void break_off() noexcept {
    if (!own_ && is_begun && route_.transaction() != nullptr) {
      route_.leave();
    }
    own_.reset();
    is_over_ = true;
  }
  static SqlText statement(const Statements& on, std::string_view table, const reflect::Type& row) {
    if (dialect_of(on) != Dialect::mariadb) {
      throw Failure(FailureKind::statement,
                    "bulk_insert is only for MariaDB: " + std::string(table));
    }
    return insert_statement(table, row);
  }
  /// Converts the line of a row from this piece to the whole insert.
  [[nodiscard]] Failure told_among_all(const Failure& told) const {
    RefusedBy by = told.by();
    by.line += by.line == 0 ? 0 : sent;
    return {told.kind(), told.what(), std::move(by)};
  }

  enum class Step : std::uint8_t { piece, last };
  Task<> take(Step step);
  Task<> send();
  Task<Changed> finish();
};

Task<> BulkInserter::State::send() {
  co_await connect(detail::BeginJob::Use::load);
  is_begun = true;
  const auto count = static_cast<std::int64_t>(rows.count());
  Pending<BulkJob> asked(route_, Lane::streaming, std::make_unique<BulkJob>(sql_, std::move(rows)));
  rows = co_await asked;
  rows.clear();
  sent += count;
}

/// A step that was abandoned may have sent part of its rows: no other step may follow.
Task<> BulkInserter::State::take(Step step) {
  is_asking_ = true;
  try {
    if (rows.count() != 0) {
      co_await send();
    }
    if (step == Step::last && own_) {
      co_await own_->commit();
    }
  } catch (const Failure& told) {
    failure_ = std::make_exception_ptr(told_among_all(told));
  } catch (...) {
    failure_ = std::current_exception();
  }
  is_asking_ = false;
  if (failure_ != nullptr) {
    break_off();
    std::rethrow_exception(failure_);
  }
}

BulkInserter::BulkInserter(const Statements& on, std::string_view table, const reflect::Type& row)
    : state_(std::make_unique<State>(on, table, row)) {}

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

Task<Changed> BulkInserter::State::finish() {
  check();
  co_await take(Step::last);
  own_.reset();
  is_over_ = true;
  co_return Changed{.rows = sent};
}

Task<Changed> BulkInserter::finish() {
  return state_->finish();
}

}  // namespace eider::db::mariadb
