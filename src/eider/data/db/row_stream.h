// A stream of rows that are fetched on demand.
// Layering: must not buffer more than one piece.
#pragma once

#include <coroutine>
#include <cstddef>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "eider/data/db/query_job.h"
#include "eider/data/db/statements.h"
#include "eider/data/db/transaction.h"
#include "eider/io/runtime/task.h"

namespace eider::db {

namespace detail {

/// Collects rows up to a number, and up to about a number of bytes.
class PieceSink final : public RowSink {
 public:
  /// inner  must outlive this
  PieceSink(RowSink& inner, std::size_t rows_max) noexcept : inner_(inner), rows_max_(rows_max) {}
  void begin(RowShape& shape) override { inner_.begin(shape); }
  void add(std::span<const Cell> cells) override;
  [[nodiscard]] bool is_full() const noexcept override;
  [[nodiscard]] std::size_t rows() const noexcept { return rows_; }
  [[nodiscard]] std::size_t rows_max() const noexcept { return rows_max_; }
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }
  [[nodiscard]] std::size_t row_bytes_max() const noexcept { return row_bytes_max_; }

 private:
  RowSink& inner_;
  std::size_t rows_max_;
  std::size_t rows_ = 0;
  std::size_t bytes_ = 0;
  std::size_t row_bytes_max_ = 0;  // of the largest row
};

/// The size of a fetched piece.
struct PieceSize {
  std::size_t rows;
  std::size_t bytes;
  std::size_t row_bytes_max;
};

/// The source of a piece.
struct PieceOrder {
  Cursor cursor{};
  std::optional<Statement> begin{};  // before the first piece
  std::size_t rows_max = 0;
  Dialect dialect = Dialect::sqlite;
};

/// Fetches the next rows: SQLite continues its statement, PostgreSQL and MariaDB use a cursor.
class PieceJob : public Job {
 public:
  [[nodiscard]] Request start() noexcept final;

 protected:
  explicit PieceJob(PieceOrder order) : order_(std::move(order)) {}
  void begin(RowSink& rows);
  [[nodiscard]] bool is_over() const noexcept;
  [[nodiscard]] PieceSize size() const noexcept {
    return {
        .rows = sink_->rows(), .bytes = sink_->bytes(), .row_bytes_max = sink_->row_bytes_max()};
  }

 private:
  PieceOrder order_;
  std::optional<PieceSink> sink_;
  std::string declaration_;
  std::string fetch_;
  std::vector<Part> parts_;  // for PostgreSQL's first piece
};

template <class T>
struct Piece {
  std::vector<T> rows;
  PieceSize size;
  bool is_over;
};

template <class T>
class PieceJobOf final : public PieceJob {
 public:
  explicit PieceJobOf(PieceOrder order) : PieceJob(std::move(order)) { begin(rows_.reader()); }
  Piece<T> take() {
    rethrow();
    return Piece<T>{rows_.take(), size(), is_over()};
  }

 private:
  RowsOf<T, All> rows_;
};

/// The progress of a stream, independent of the row type.
class StreamState {
 public:
  /// route  to the pool, or to the transaction in which the rows are read
  StreamState(Route route, Statement statement) noexcept
      : route_(std::move(route)), statement_(std::move(statement)) {}
  StreamState(StreamState&&) noexcept = default;
  StreamState& operator=(StreamState&&) = delete;
  ~StreamState() { leave(); }

  /// Throws an earlier failure, and Failure(statement) if another call is still running.
  void begin_asking();
  [[nodiscard]] bool needs_connection() const noexcept;
  [[nodiscard]] Task<Transaction> open_connection() const;
  void keep(Transaction connection) { connection_.emplace(std::move(connection)); }
  [[nodiscard]] Route route() const;
  [[nodiscard]] PieceOrder order();
  void note_piece(const PieceSize& size, bool is_over) noexcept;
  void note_failure() noexcept;
  [[nodiscard]] bool is_over() const noexcept { return is_over_; }

 private:
  static constexpr std::size_t kFirstRows = 16;

  [[nodiscard]] Task<Transaction> ask_for_connection() const;
  void leave() noexcept;

  Route route_;
  std::optional<Statement> statement_;     // until the first piece is requested
  std::optional<Transaction> connection_;  // its own connection
  Cursor cursor_;
  std::size_t rows_next_ = kFirstRows;
  std::size_t row_bytes_max_ = 1;  // of the largest row so far
  bool is_asking_ = false;
  bool is_over_ = false;
  std::exception_ptr failure_;
};

}  // namespace detail

/// A stream of rows, from `Database::stream` and `Transaction::stream`, with about 64 KiB of them
/// in memory (or one row, if it is larger). With PostgreSQL and MariaDB, the number of fetched
/// rows, at most 64 and 32, is estimated from earlier ones: if rows suddenly become larger, more
/// memory is needed.
///
///     auto rows = db->stream<Book>("select id, title, year from books");
///     while (auto row = co_await rows.next()) { … }
///
/// Nothing is sent before the first `next`. Destroying the stream ends it: a running fetch is
/// canceled, and the connection is released.
template <class T>
class [[nodiscard]] RowStream {
  static_assert(!std::is_same_v<T, bool>,
                "std::vector<bool> does not contain bool objects: read the values as int");

 public:
  using Value = T;
  class Next;

  explicit RowStream(detail::StreamState course) noexcept : course_(std::move(course)) {}

  /// `co_await rows.next()`: returns the next row, or nothing after the last one. Only one call at
  /// a time; after a canceled call, the stream cannot be used.
  ///
  /// errors  db::Failure, thrown, also by each later call: those of `all`, and
  ///         Failure(busy)     too many streams are open
  ///         Failure(expired)  the stream was open or idle for too long
  [[nodiscard]] Next next() noexcept { return Next(*this); }

 private:
  Task<> fill() {
    course_.begin_asking();
    try {
      if (course_.needs_connection()) {
        course_.keep(co_await course_.open_connection());
      }
      detail::Piece<T> piece = co_await Pending<detail::PieceJobOf<T>>(
          course_.route(), Lane::reading, std::make_unique<detail::PieceJobOf<T>>(course_.order()));
      rows_ = std::move(piece.rows);
      at_ = 0;
      course_.note_piece(piece.size, piece.is_over);
    } catch (...) {
      course_.note_failure();
      throw;
    }
  }

  [[nodiscard]] bool has_row() const noexcept { return at_ < rows_.size(); }
  [[nodiscard]] std::optional<T> take() {
    return has_row() ? std::optional<T>(std::move(rows_[at_++])) : std::nullopt;
  }

  detail::StreamState course_;
  std::vector<T> rows_;
  std::size_t at_ = 0;
};

/// Refers to the stream. Must be awaited immediately.
template <class T>
class [[nodiscard]] RowStream<T>::Next {
 public:
  explicit Next(RowStream& stream) noexcept : stream_(stream) {}
  Next(const Next&) = delete;
  Next& operator=(const Next&) = delete;
  ~Next() = default;

  bool await_ready() const noexcept { return stream_.has_row() || stream_.course_.is_over(); }
  bool await_suspend(std::coroutine_handle<> waiting) {
    filling_ = stream_.fill();
    return (filling_.operator co_await()).await_suspend(waiting);
  }
  std::optional<T> await_resume() {
    if (!filling_.is_empty()) {
      filling_.take();
    }
    return stream_.take();
  }

 private:
  RowStream& stream_;
  Task<> filling_;
};

template <class T, class... Args>
RowStream<T> Statements::stream(SqlFor<T, sizeof...(Args)> sql, const Args&... args) const {
  return RowStream<T>(detail::StreamState(route_, detail::make_statement(sql.text(), args...)));
}

template <class T>
RowStream<T> Statements::stream(BoundSql bound) const {
  return RowStream<T>(detail::StreamState(route_, detail::make_statement(std::move(bound))));
}

}  // namespace eider::db
