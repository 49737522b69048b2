// Reads and writes books, covers and reviews in the database.
// Layering: must not know the user; handlers do.
#pragma once

#include <eider/database.h>

#include <optional>
#include <string>
#include <utility>

#include "catalogue/book.h"
#include "catalogue/live.h"

namespace bookstore {

/// type  "image/png", detected from the bytes
struct Cover {
  std::string type;
  eider::db::Blob bytes;
};

/// A module of the application.
class Books {
 public:
  static constexpr std::string_view kName = "books";

  /// stock_changed  called with the new stock of a book after it was edited
  Books(eider::Database database, TellStock stock_changed)
      : database_(std::move(database)), stock_changed_(std::move(stock_changed)) {}
  /// Adds some books if there are none.
  [[nodiscard]] eider::Task<> start() const;

  [[nodiscard]] eider::Task<BookList> list(BookQuery query) const;
  [[nodiscard]] eider::Task<std::optional<Book>> find(std::int64_t id) const;
  /// Returns those of these books that exist.
  [[nodiscard]] eider::Task<std::vector<Book>> find_all(std::vector<std::int64_t> ids) const;
  /// Throws a db::Failure of kind `unique` if a book with that ISBN exists; so does `replace`.
  [[nodiscard]] eider::Task<Book> add(NewBook book) const;
  /// errors  404; 412 if the book was edited in the meantime, or too many copies were sold
  [[nodiscard]] eider::Task<eider::Result<Book>> replace(std::int64_t id, NewBook book,
                                                         Seen seen) const;
  /// Returns whether the book existed.
  [[nodiscard]] eider::Task<bool> remove(std::int64_t id) const;

  /// Sends the stock of a book to all open pages; 0 if it was deleted.
  [[nodiscard]] eider::Task<> publish_stock(std::int64_t id) const;

  [[nodiscard]] eider::Task<std::optional<Cover>> cover(std::int64_t id) const;
  /// Returns whether the book exists.
  [[nodiscard]] eider::Task<bool> set_cover(std::int64_t id, Cover cover) const;

  [[nodiscard]] eider::Task<std::vector<Review>> reviews(std::int64_t book_id) const;
  /// Replaces the user's earlier review of the book.
  [[nodiscard]] eider::Task<Review> review(std::int64_t book_id, std::int64_t user_id,
                                           NewReview review) const;

 private:
  eider::Database database_;
  TellStock stock_changed_;
};

}  // namespace bookstore
