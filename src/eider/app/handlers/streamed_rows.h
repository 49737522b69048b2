// Streams rows as JSON lines or CSV while they are read, at the client's speed.
// Layering: must not know the source of the rows; a database stream is one.
#pragma once

#include <concepts>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "eider/app/handlers/producing.h"
#include "eider/core/base/buffer.h"
#include "eider/core/json/csv.h"
#include "eider/core/json/write.h"
#include "eider/core/reflect/type_of.h"

namespace eider {

/// `co_await source.next()` returns a std::optional<T>, empty after the last row; for example
/// db::RowStream.
template <class S, class T>
concept RowSource = std::same_as<typename S::Value, T> && std::move_constructible<S> &&
                    requires(S& source) { source.next(); };

/// A result with one JSON text (RFC 8259) per row and line.
///
///     app.get("/books.jsonl", [](State<Database> db) -> JsonRows<Book> {
///       return db->stream<Book>("select id, title from books");
///     });
///
/// Rows are read at the client's speed. An error before the first row is an error response. A later
/// error aborts the response, so that clients notice it, and is logged. For HEAD, no rows are read.
template <class T>
class JsonRows {
 public:
  static constexpr std::string_view kContentType = "application/x-ndjson";

  template <RowSource<T> S>
  JsonRows(S source)  // NOLINT(google-explicit-constructor): `return db->stream<T>(…)`
      : streamed_(std::string(kContentType), [kept = std::make_shared<S>(std::move(source))](
                                                 ResponseStream out) { return send(kept, out); }) {}

  /// Returns the response, to set status and headers.
  [[nodiscard]] Response& head() noexcept { return streamed_.head(); }
  [[nodiscard]] Streamed& streamed() noexcept { return streamed_; }

 private:
  template <class S>
  static Task<> send(std::shared_ptr<S> source, ResponseStream out) {
    Buffer line;
    while (const auto row = co_await source->next()) {
      line.clear();
      json::write(line, *row);
      line.append('\n');
      co_await out.write(line.view());
    }
  }

  Streamed streamed_;
};

namespace detail::app {

/// Formats rows as lines of CSV.
class CsvText {
 public:
  CsvText(const reflect::Type& row, json::CsvFormulas formulas);

  /// Returns the line of an object, for the first one after the line with the names of the members.
  ///
  /// errors   std::invalid_argument, thrown: a member is a list or an object
  [[nodiscard]] std::string_view line_of(const void* object);
  /// Returns the line with the names, if there were no rows.
  [[nodiscard]] std::string_view rest();

 private:
  const reflect::Type& row_;
  json::CsvLines lines_;
  Buffer json_;
  std::string line_;
  bool has_names_ = false;
};

}  // namespace detail::app

/// A result with comma-separated values (RFC 4180); the first line contains the names of the
/// members. T is a struct of texts, numbers, booleans and optionals of these.
template <class T>
class CsvRows {
 public:
  static constexpr std::string_view kContentType = "text/csv; charset=utf-8";

  /// formulas  how texts are written that a spreadsheet would execute as formulas
  template <RowSource<T> S>
  CsvRows(S source,  // NOLINT(google-explicit-constructor): `return db->stream<T>(…)`
          json::CsvFormulas formulas = json::CsvFormulas::escape)
      : streamed_(std::string(kContentType),
                  [kept = std::make_shared<S>(std::move(source)), formulas](ResponseStream out) {
                    return send(kept, formulas, out);
                  }) {}

  /// Returns the response, to set status and headers.
  [[nodiscard]] Response& head() noexcept { return streamed_.head(); }
  [[nodiscard]] Streamed& streamed() noexcept { return streamed_; }

 private:
  template <class S>
  static Task<> send(std::shared_ptr<S> source, json::CsvFormulas formulas, ResponseStream out) {
    detail::app::CsvText text(reflect::type_of<T>(), formulas);
    while (const auto row = co_await source->next()) {
      co_await out.write(text.line_of(&*row));
    }
    co_await out.write(text.rest());
  }

  Streamed streamed_;
};

template <class T>
struct Render<JsonRows<T>> {
  static void into(Response& response, JsonRows<T> rows) {
    Render<Streamed>::into(response, std::move(rows.streamed()));
  }
  static void describe(Operation& operation) {
    detail::app::describe_streamed_response(operation, JsonRows<T>::kContentType,
                                            &reflect::type_of<T>());
  }
};

template <class T>
struct Render<CsvRows<T>> {
  static void into(Response& response, CsvRows<T> rows) {
    Render<Streamed>::into(response, std::move(rows.streamed()));
  }
  static void describe(Operation& operation) {
    detail::app::describe_streamed_response(operation, CsvRows<T>::kContentType, nullptr);
  }
};

}  // namespace eider
