#include "eider/data/db/postgres/copy.h"

#include <vector>

#include "eider/core/base/text.h"
#include "eider/data/db/column_names.h"
#include "eider/data/db/postgres/copy_text.h"
#include "eider/data/db/statement_text.h"

namespace eider::db::postgres {
namespace {

class CopyJob final : public Job {
 public:
  CopyJob(SqlText sql, CopyStep step) : sql_(std::move(sql)), step_(std::move(step)) {}
  [[nodiscard]] Request start() noexcept override {
    return {.what = Request::What::transfer, .sql = sql_.view(), .transfer = &step_};
  }
  std::pair<CopyStep, Changed> take() {
    rethrow();
    return {std::move(step_), changed()};
  }

 private:
  SqlText sql_;
  CopyStep step_;
};

}  // namespace

/// A step that was abandoned may have sent part of its bytes: no other step may follow.
class CopyState::Asking {
 public:
  explicit Asking(CopyState& course) : course_(course) {
    course_.check();
    course_.is_asking_ = true;
  }
  Asking(const Asking&) = delete;
  Asking& operator=(const Asking&) = delete;
  ~Asking() = default;
  void end() noexcept { course_.is_asking_ = false; }

 private:
  CopyState& course_;
};

CopyState::CopyState(const Statements& on, SqlText sql, CopyStep::What begin)
    : RowCourse(on, std::move(sql), "a COPY"), begin_(begin) {
  if (dialect_of(on) != Dialect::postgres) {
    throw Failure(FailureKind::statement, "COPY is PostgreSQL's: " + std::string(sql_.view()));
  }
}

detail::BeginJob::Use CopyState::use() const noexcept {
  return begin_ == CopyStep::What::begin_in ? detail::BeginJob::Use::load
                                            : detail::BeginJob::Use::stream;
}

/// Called in an exception handler.
void CopyState::fail() noexcept {
  failure_ = std::current_exception();
  own_.reset();
}

void CopyState::refuse_marker(std::int64_t line) {
  check();
  try {
    throw Failure::of_value(
        "PostgreSQL: line " + std::to_string(line) +
            " is \\., which ends the data, but other lines follow: quote it, or "
            "write \\\\. in the text format, in: " +
            std::string(sql_.view()),
        {.line = line});
  } catch (...) {
    fail();
    throw;
  }
}

Task<> CopyState::open() {
  if (!is_open_) {
    co_await connect(use());
    is_open_ = true;
    (void)co_await carry_out(CopyStep(begin_));
  }
}

Task<CopyStep> CopyState::carry_out(CopyStep step, Changed* changed) {
  Pending<CopyJob> asked(route_, Lane::streaming, std::make_unique<CopyJob>(sql_, std::move(step)));
  auto [done, came_to] = co_await asked;
  if (changed != nullptr) {
    *changed = came_to;
  }
  co_return std::move(done);
}

Task<std::vector<std::string>> CopyState::find_arrays(std::string table) {
  Asking asking(*this);
  std::vector<std::string> found;
  try {
    co_await connect(use());
    Pending<detail::QueryJobOf<std::string, detail::All>> asked(
        route_, Lane::reading,
        std::make_unique<detail::QueryJobOf<std::string, detail::All>>(detail::make_statement(
            SqlText("select attname::text from pg_attribute join pg_type on pg_type.oid = atttypid "
                    "where attrelid = $1::text::regclass and attnum > 0 and typcategory = 'A'"),
            table)));
    found = co_await asked;
  } catch (...) {
    fail();
    throw;
  }
  asking.end();
  co_return found;
}

Task<> CopyState::write(std::string& messages) {
  Asking asking(*this);
  try {
    co_await open();
    CopyStep step(CopyStep::What::write, std::move(messages));
    CopyStep done = co_await carry_out(std::move(step));
    messages = std::move(done.bytes);
  } catch (...) {
    fail();
    throw;
  }
  asking.end();
}

Task<Changed> CopyState::end() {
  Asking asking(*this);
  Changed changed;
  try {
    co_await open();
    CopyStep step(CopyStep::What::end);
    (void)co_await carry_out(std::move(step), &changed);
    if (own_) {
      co_await own_->commit();
    }
  } catch (...) {
    fail();
    throw;
  }
  is_over_ = true;
  own_.reset();
  asking.end();
  co_return changed;
}

Task<std::optional<std::string>> CopyState::read() {
  if (is_over_) {
    co_return std::nullopt;
  }
  Asking asking(*this);
  CopyStep done(CopyStep::What::read);
  try {
    co_await open();
    done = co_await carry_out(std::move(done));
  } catch (...) {
    fail();
    throw;
  }
  asking.end();
  is_over_ = done.is_over;
  if (is_over_) {
    own_.reset();
  }
  co_return done.bytes.empty() ? std::nullopt : std::optional(std::move(done.bytes));
}

/// One message; its header is written when it is full.
struct RowCopy::State {
  std::string table;
  CopyText text;
  CopyState course;
  bool knows_columns;
  std::string message{};

  void append(const void* object) {
    course.check();
    if (message.empty()) {
      message.resize(kCopyHeadBytes);
    }
    text.append(message, object);
  }
  [[nodiscard]] bool is_full() const noexcept { return message.size() >= kCopyPieceBytes; }
  Task<> flush() {
    seal_copy_message(message, 0);
    co_await course.write(message);
  }
};

namespace {

SqlText copy_statement(std::string_view table, const CopyText& text) {
  if (!detail::is_table_name(table)) {
    throw Failure(FailureKind::statement, "there is no table " + std::string(table));
  }
  return SqlText(
      RuntimeSql{"copy " + detail::table_sql(table) + "(" + text.columns() + ") from stdin"});
}

}  // namespace

RowCopy::RowCopy(const Statements& on, std::string_view table, const reflect::Type& row) {
  CopyText text(row);
  SqlText sql = copy_statement(table, text);
  const bool has_lists = text.has_lists();
  state_ = std::make_unique<State>(
      State{.table = detail::table_sql(table),
            .text = std::move(text),
            .course = CopyState(on, std::move(sql), CopyStep::What::begin_in),
            .knows_columns = !has_lists});
}

RowCopy::RowCopy(RowCopy&&) noexcept = default;
RowCopy::~RowCopy() = default;

bool RowCopy::try_add(const void* object) {
  if (state_->knows_columns) {
    state_->append(object);
  }
  return state_->knows_columns && !state_->is_full();
}

Task<> RowCopy::go_on(const void* object) {
  State& state = *state_;
  if (!state.knows_columns) {
    state.text.set_arrays(co_await state.course.find_arrays(state.table));
    state.knows_columns = true;
    state.append(object);
  }
  if (state.is_full()) {
    co_await state.flush();
  }
}

Task<Changed> RowCopy::finish() {
  State& state = *state_;
  if (state.message.size() > kCopyHeadBytes) {
    co_await state.flush();
  }
  co_return co_await state.course.end();
}

}  // namespace eider::db::postgres

namespace eider {

Task<> CopyIn::write(std::string_view bytes) {
  constexpr std::string_view kMark = "\xEF\xBB\xBF";
  while (mark_bytes_ < kMark.size() && bytes.starts_with(kMark[mark_bytes_])) {
    ++mark_bytes_;
    bytes.remove_prefix(1);
  }
  if (mark_bytes_ < kMark.size() && !bytes.empty()) {
    const std::string_view begun = kMark.substr(0, std::exchange(mark_bytes_, kMark.size()));
    if (!begun.empty()) {
      co_await write(begun);
    }
  }
  while (!bytes.empty()) {
    const std::string_view piece = bytes.substr(0, db::postgres::kCopyPieceBytes);
    if (const std::int64_t line = end_marker_.find(piece); line != 0) {
      course_.refuse_marker(line);
    }
    messages_.assign(db::postgres::kCopyHeadBytes, '\0');
    messages_.append(piece);
    db::postgres::seal_copy_message(messages_, 0);
    co_await course_.write(messages_);
    bytes.remove_prefix(piece.size());
  }
}

CopyIn copy_in(const db::Statements& on, db::SqlFor<void, 0> sql) {
  return CopyIn(db::postgres::CopyState(on, sql.text(), db::postgres::CopyStep::What::begin_in));
}

CopyOut copy_out(const db::Statements& on, db::SqlFor<void, 0> sql) {
  return CopyOut(db::postgres::CopyState(on, sql.text(), db::postgres::CopyStep::What::begin_out));
}

}  // namespace eider
