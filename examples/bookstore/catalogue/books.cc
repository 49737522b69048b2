#include "catalogue/books.h"

#include "site/first_books.h"

namespace bookstore {

using eider::Error;
using eider::fail;
using eider::Result;
using eider::Task;

namespace {

/// Returns a pattern for `like`; special characters in the search text are escaped.
std::string like(std::string_view words) {
  std::string pattern = "%";
  for (const char c : words) {
    if (c == '%' || c == '_' || c == '\\') {
      pattern += '\\';
    }
    pattern += c;
  }
  return pattern + "%";
}

std::int64_t cents_max_of(const BookQuery& query) {
  constexpr std::int64_t kCentsPerEuro = 100;
  return query.price_max ? **query.price_max * kCentsPerEuro : kCentsMax;
}

}  // namespace

Task<> Books::start() const {
  return add_first_books(database_);
}

Task<BookList> Books::list(BookQuery query) const {
  const std::string words = like(query.q ? **query.q : "");
  const std::int64_t cents_max = cents_max_of(query);
  BookList list;
  list.total = (co_await database_.one<std::int64_t>(
                    "select count(*) from books where (title like $1 escape '\\' or author like $1 "
                    "escape '\\' or isbn like $1 escape '\\') and ($2 is null or genre = $2) and "
                    "price_cents <= $3 and (not $4 or stock > 0)",
                    words, query.genre, cents_max, query.in_stock))
                   .value_or(0);
  list.books = co_await database_.all<Book>(
      "select * from shelf where (title like $1 escape '\\' or author like $1 escape '\\' or isbn "
      "like $1 escape '\\') and ($2 is null or genre = $2) and price_cents <= $3 and (not $4 or "
      "stock > 0) order by case $5 when 'author' then author when 'title' then title end collate "
      "nocase, case $5 when 'newest' then -year when 'cheapest' then price_cents when "
      "'most_expensive' "
      "then -price_cents when 'best' then -rating end, title, id limit $6 offset $7",
      words, query.genre, cents_max, query.in_stock, query.sort, *query.per_page,
      eider::offset_of(query));
  co_return list;
}

Task<std::optional<Book>> Books::find(std::int64_t id) const {
  co_return co_await database_.one<Book>("select * from shelf where id = $1", id);
}

Task<std::vector<Book>> Books::find_all(std::vector<std::int64_t> ids) const {
  co_return co_await database_.all<Book>(
      "select * from shelf where id in (select value from json_each($1)) order by title",
      eider::json::to_text(ids));
}

Task<Book> Books::add(NewBook book) const {
  const auto id = co_await database_.one<std::int64_t>(
      "insert into books(title, author, isbn, genre, year, price_cents, stock, summary) "
      "values($1, $2, $3, $4, $5, $6, $7, $8) returning id",
      book.title, book.author, book.isbn, book.genre, book.year, book.price_cents, book.stock,
      book.summary);
  co_return (co_await find(id.value())).value();
}

Task<Result<Book>> Books::replace(std::int64_t id, NewBook book, Seen seen) const {
  const eider::db::Changed changed = co_await database_.exec(
      "update books set title = $2, author = $3, isbn = $4, genre = $5, year = $6, "
      "price_cents = $7, stock = min(stock + $8 - $10, $12), summary = $9, version = version + 1 "
      "where id = $1 and version = $11 and stock + $8 - $10 >= 0",
      id, book.title, book.author, book.isbn, book.genre, book.year, book.price_cents, book.stock,
      book.summary, *seen.stock, seen.version, kStockMax);
  auto replaced = co_await find(id);
  if (!replaced) {
    co_return fail(Error::not_found("This book does not exist."));
  }
  if (changed.rows == 0) {
    co_return fail(Error(412, "The book has changed. Please check it again."));
  }
  stock_changed_({id, replaced->stock});
  co_return std::move(*replaced);
}

Task<bool> Books::remove(std::int64_t id) const {
  const eider::db::Changed changed = co_await database_.exec("delete from books where id = $1", id);
  if (changed.rows == 1) {
    stock_changed_({id, 0});
  }
  co_return changed.rows == 1;
}

Task<> Books::publish_stock(std::int64_t id) const {
  const std::optional<Book> book = co_await find(id);
  stock_changed_({id, book ? book->stock : 0});
}

Task<std::optional<Cover>> Books::cover(std::int64_t id) const {
  co_return co_await database_.one<Cover>("select type, bytes from covers where book_id = $1", id);
}

Task<bool> Books::set_cover(std::int64_t id, Cover cover) const {
  const eider::db::Changed changed = co_await database_.exec(
      "insert into covers(book_id, type, bytes) select id, $2, $3 from books where id = $1 on "
      "conflict(book_id) do update set type = excluded.type, bytes = excluded.bytes",
      id, cover.type, cover.bytes);
  co_return changed.rows == 1;
}

Task<std::vector<Review>> Books::reviews(std::int64_t book_id) const {
  co_return co_await database_.all<Review>(
      "select r.id, u.name, r.stars, r.text, r.written from reviews r join users u on u.id = "
      "r.user_id where r.book_id = $1 order by r.written desc, r.id desc limit 100",
      book_id);
}

Task<Review> Books::review(std::int64_t book_id, std::int64_t user_id, NewReview review) const {
  const auto id = co_await database_.one<std::int64_t>(
      "insert into reviews(book_id, user_id, stars, text) values($1, $2, $3, $4) on "
      "conflict(book_id, user_id) do update set stars = excluded.stars, text = excluded.text, "
      "written = strftime('%Y-%m-%dT%H:%M:%SZ') returning id",
      book_id, user_id, review.stars, review.text);
  auto written = co_await database_.one<Review>(
      "select r.id, u.name, r.stars, r.text, r.written from reviews r join users u on u.id = "
      "r.user_id where r.id = $1",
      id.value());
  co_return std::move(written.value());
}

}  // namespace bookstore
