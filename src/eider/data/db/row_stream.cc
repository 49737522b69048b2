#include "eider/data/db/row_stream.h"

#include <algorithm>
#include <atomic>

#include "eider/data/db/failure.h"
#include "eider/io/runtime/deadline.h"

namespace eider::db::detail {
namespace {

/// Target size of a piece. A client that reads 64 KiB within `stream_idle_max` is fast enough.
constexpr std::size_t kPieceBytes = 64UL * 1024;
constexpr std::size_t kPieceRowsMax = 128;
constexpr std::size_t kGrowth = 4;
/// For PostgreSQL, which limits a piece only by the number of rows: if rows suddenly become larger,
/// up to 1 MiB each, they still fit into `result_bytes_max` (default: 64 MiB).
constexpr std::size_t kFetchRowsMax = 64;
constexpr std::size_t kFetchGrowth = 2;
/// Limits a piece whose rows are all as large as the largest one so far. One such row among many
/// does not make all later pieces small.
constexpr std::size_t kFetchBytesMax = 1024UL * 1024;

/// Returns a unique cursor number; those of transactions are smaller.
std::uint64_t number_of_its_own() noexcept {
  static std::atomic<std::uint64_t> next{std::uint64_t{1} << 32U};
  return next.fetch_add(1, std::memory_order_relaxed);
}

class CloseJob final : public Job {
 public:
  explicit CloseJob(std::uint64_t number) noexcept : cursor_{.number = number} {}
  [[nodiscard]] Request start() noexcept override {
    return {.what = Request::What::close, .cursor = &cursor_};
  }

 private:
  Cursor cursor_;
};

}  // namespace

void PieceSink::add(std::span<const Cell> cells) {
  ++rows_;
  std::size_t row_bytes = 0;
  for (const Cell& cell : cells) {
    row_bytes += sizeof(Cell) + cell.bytes.size();
  }
  bytes_ += row_bytes;
  row_bytes_max_ = std::max(row_bytes_max_, row_bytes);
  inner_.add(cells);
}

bool PieceSink::is_full() const noexcept {
  return rows_ >= rows_max_ || bytes_ >= kPieceBytes;
}

void PieceJob::begin(RowSink& rows) {
  sink_.emplace(rows, order_.rows_max);
  if (order_.dialect != Dialect::postgres) {
    return;
  }
  const std::string name = "eider_rows_" + std::to_string(order_.cursor.number);
  fetch_ = "fetch " + std::to_string(order_.rows_max) + " from " + name;
  if (order_.begin) {
    declaration_ = "declare " + name + " no scroll cursor for ";
    declaration_ += order_.begin->sql.view();
    parts_.push_back({.sql = declaration_, .values = order_.begin->values});
    parts_.push_back({.sql = fetch_, .rows = &*sink_});
  }
}

Request PieceJob::start() noexcept {
  if (order_.dialect == Dialect::postgres && order_.begin) {
    return {.what = Request::What::batch, .parts = parts_, .is_within_transaction = true};
  }
  if (order_.dialect == Dialect::postgres) {
    return {.what = Request::What::statement, .sql = fetch_, .rows = &*sink_};
  }
  Request request{.what = Request::What::piece, .rows = &*sink_, .cursor = &order_.cursor};
  if (order_.begin) {
    request.sql = order_.begin->sql.view();
    request.values = order_.begin->values;
  }
  return request;
}

bool PieceJob::is_over() const noexcept {
  return order_.dialect == Dialect::postgres ? sink_->rows() < sink_->rows_max()
                                             : order_.cursor.is_over;
}

void StreamState::begin_asking() {
  if (failure_ != nullptr) {
    std::rethrow_exception(failure_);
  }
  if (is_asking_) {
    throw Failure(
        FailureKind::statement,
        "the next row of a stream was requested while another request is waiting or was canceled");
  }
  is_asking_ = true;
}

bool StreamState::needs_connection() const noexcept {
  return !connection_ && route_.transaction() == nullptr &&
         route_.pool()->has_connections_for_streams();
}

Task<Transaction> StreamState::ask_for_connection() const {
  auto job = std::make_unique<BeginJob>(route_.pool(), BeginJob::Use::stream);
  Pending<BeginJob> begun(route_, Lane::streaming, std::move(job));
  co_return co_await begun;
}

/// The loop limits the wait, because a thread that serves a stream does nothing else meanwhile.
Task<Transaction> StreamState::open_connection() const {
  Task<Transaction> asking = ask_for_connection();
  const std::optional<Duration> wait_max = route_.pool()->stream_wait_max();
  if (!wait_max) {
    co_return co_await std::move(asking);
  }
  std::optional<Transaction> opened = co_await with_deadline(std::move(asking), *wait_max);
  if (!opened) {
    throw Failure(FailureKind::busy, "too many row streams are open");
  }
  co_return std::move(*opened);
}

Route StreamState::route() const {
  return connection_ ? static_cast<const Statements&>(*connection_).route() : route_;
}

PieceOrder StreamState::order() {
  if (cursor_.number == 0) {
    const auto transaction = route().transaction();
    cursor_.number = transaction == nullptr ? number_of_its_own() : transaction->next_number();
  }
  return {.cursor = cursor_,
          .begin = std::exchange(statement_, std::nullopt),
          .rows_max = rows_next_,
          .dialect = route_.pool()->dialect()};
}

/// Releases the connection with the last piece, not with its last row.
void StreamState::note_piece(const PieceSize& size, bool is_over) noexcept {
  is_asking_ = false;
  is_over_ = is_over;
  if (is_over) {
    connection_.reset();
    return;
  }
  constexpr std::size_t kOne = 1;
  const std::size_t row_bytes = std::max(kOne, size.bytes / std::max(kOne, size.rows));
  row_bytes_max_ = std::max(row_bytes_max_, size.row_bytes_max);
  std::size_t most = std::min(kPieceRowsMax, kGrowth * rows_next_);
  if (route_.pool()->dialect() == Dialect::postgres) {
    most = std::min({kFetchRowsMax, kFetchGrowth * rows_next_, kFetchBytesMax / row_bytes_max_});
  }
  rows_next_ = std::clamp(kPieceBytes / row_bytes, kOne, std::max(kOne, most));
}

void StreamState::note_failure() noexcept {
  is_asking_ = false;
  failure_ = std::current_exception();
  connection_.reset();
}

/// Closes a cursor of SQLite, on its thread, before later statements.
void StreamState::leave() noexcept {
  const bool is_begun = cursor_.number != 0 && !is_over_ && !connection_;
  if (route_.pool() == nullptr || !is_begun || route_.pool()->dialect() != Dialect::sqlite) {
    return;
  }
  try {
    std::unique_ptr<Job> job = std::make_unique<CloseJob>(cursor_.number);
    (void)route_.submit(job, Lane::reading);
  } catch (...) {  // without memory, it exists until its connection or transaction ends
    return;
  }
}

}  // namespace eider::db::detail
