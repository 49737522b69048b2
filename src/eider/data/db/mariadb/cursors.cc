#include "eider/data/db/mariadb/cursors.h"

#include <algorithm>
#include <exception>
#include <utility>

#include "eider/data/db/failure.h"

namespace eider::db::mariadb {
namespace {

/// What one fetch is to bring. Connector/C reads all of it, so that rows which suddenly get larger
/// take as many times their size as there are rows in it.
constexpr std::size_t kFetchBytes = 64UL * 1024;
constexpr std::size_t kFetchRowsMax = 32;
/// Of rows that were all as large as the largest so far.
constexpr std::size_t kFetchBytesMax = 1024UL * 1024;

}  // namespace

Task<> Cursors::open(std::uint64_t number, std::string_view sql, StatementHandle statement,
                     std::function<void(MYSQL_STMT&)> bind) {
  open_.emplace_front(number, std::string(sql), std::move(statement),
                      RowFlow(*this, row_bytes_max_));
  const Place place = open_.begin();
  std::exception_ptr refused;
  try {
    bind(*place->statement);
    co_await wire_.open_cursor(*place->statement);
    if (mysql_stmt_field_count(place->statement.get()) == 0) {
      throw Failure(FailureKind::statement,
                    "only a statement that returns rows can be streamed, in: " + place->sql);
    }
  } catch (const Broken&) {
    throw;
  } catch (...) {
    refused = std::current_exception();
  }
  if (refused != nullptr) {
    co_await close(place);
    std::rethrow_exception(refused);
  }
}

Task<> Cursors::take_piece(Cursor& cursor, RowSink& rows) {
  const Place place = std::ranges::find(open_, cursor.number, &Open::number);
  if (place == open_.end()) {
    throw Failure(FailureKind::statement, "the row stream has ended");
  }
  RowFlow& flow = place->flow;
  flow.begin(place->sql, &rows);
  current_ = &flow;
  std::exception_ptr failed;
  try {
    cursor.is_over = co_await wire_.fetch_some(*place->statement, flow, 2 * row_bytes_max_);
    choose_fetch(*place);
    flow.end();
  } catch (const Broken&) {
    current_ = nullptr;
    throw;
  } catch (...) {
    failed = std::current_exception();
  }
  current_ = nullptr;  // it may be closed now, and its owner hear of whoever leaves later
  if (failed != nullptr || cursor.is_over) {
    co_await close(place);
  }
  if (failed != nullptr) {
    std::rethrow_exception(failed);
  }
}

void Cursors::choose_fetch(Open& open) noexcept {
  constexpr std::size_t kOne = 1;
  const RowFlow& flow = open.flow;
  if (flow.rows() == 0) {
    return;
  }
  open.row_bytes_max = std::max(open.row_bytes_max, flow.row_bytes_max());
  const std::size_t mean = std::max(kOne, flow.bytes() / flow.rows());
  const std::size_t most =
      std::min({kFetchRowsMax, 2 * open.fetch_rows, kFetchBytesMax / open.row_bytes_max});
  open.fetch_rows = std::clamp(kFetchBytes / mean, kOne, std::max(kOne, most));
  const unsigned long rows = open.fetch_rows;
  mysql_stmt_attr_set(open.statement.get(), STMT_ATTR_PREFETCH_ROWS, &rows);
}

void Cursors::stop() noexcept {
  if (current_ != nullptr) {
    current_->stop();
  }
}

Task<> Cursors::close(Place place) {
  StatementHandle statement = std::move(place->statement);
  open_.erase(place);
  co_await wire_.forget(std::move(statement));
}

Task<> Cursors::close_all() {
  while (!open_.empty()) {
    co_await close(open_.begin());
  }
}

}  // namespace eider::db::mariadb
