#include "catalogue/book_api.h"

#include <eider/apikeys.h>
#include <eider/eider.h>

#include "catalogue/books.h"
#include "people/user.h"

namespace bookstore {

using namespace eider;

namespace {

Error no_such_book() {
  return Error::not_found("This book does not exist.");
}

/// The tag depends on all members of the book.
std::string tag_of(const Book& book) {
  return std::to_string(std::hash<std::string>()(json::to_text(book)));
}

ResponseOf<Book> with_tag(Book book) {
  const std::string tag = tag_of(book);
  return ResponseOf(std::move(book)).etag(tag);
}

Task<Page<Book>> list(Query<BookQuery> query, Pagination pagination, State<Books> books) {
  BookList found = co_await books->list(*query);
  co_return pagination.page(*query, std::move(found.books), found.total);
}

Task<Result<ResponseOf<Book>>> find(std::int64_t id, State<Books> books) {
  std::optional<Book> book = co_await books->find(id);
  if (!book) {
    co_return fail(no_such_book());
  }
  co_return with_tag(std::move(*book));
}

Task<Created<Book>> add(Json<NewBook> book, const Staff&, State<Books> books) {
  Book added = co_await books->add(*book);
  std::string address = "/api/books/" + std::to_string(added.id);
  co_return Created(std::move(added), std::move(address));
}

Task<Result<ResponseOf<Book>>> replace(std::int64_t id, Json<NewBook> given,
                                       Preconditions preconditions, const Staff&,
                                       State<Books> books) {
  const std::optional<Book> book = co_await books->find(id);
  if (!book) {
    co_return fail(no_such_book());
  }
  if (const auto holds = preconditions.require({.etag = tag_of(*book)}); !holds) {
    co_return fail(holds.error());
  }
  Result<Book> replaced = co_await books->replace(id, *given, {book->version, book->stock});
  if (!replaced) {
    co_return fail(replaced.error());
  }
  co_return with_tag(std::move(*replaced));
}

Task<Result<void>> remove(std::int64_t id, const Staff&, State<Books> books) {
  const bool is_removed = co_await books->remove(id);
  co_return is_removed ? Result<void>() : fail(no_such_book());
}

Task<std::vector<Review>> list_reviews(std::int64_t id, State<Books> books) {
  return books->reviews(id);
}

Task<Result<Created<Review>>> review(std::int64_t id, Json<NewReview> given, const User& user,
                                     State<Books> books) {
  if (!co_await books->find(id)) {
    co_return fail(no_such_book());
  }
  Review written = co_await books->review(id, user.id, *given);
  co_return Created(std::move(written));
}

}  // namespace

void add_book_api(Routes& api) {
  api.get("/books", list).docs({.summary = "Finds books", .tags = {"books"}});
  api.get("/books/{id}", find).docs({.summary = "Returns a book", .tags = {"books"}});
  api.post("/books", add)
      .docs({.summary = "Adds a book (staff only)", .tags = {"books"}})
      .guard(require_key_scope(kWriteBooks));
  api.put("/books/{id}", replace)
      .docs({.summary = "Changes a book (staff only)", .tags = {"books"}})
      .guard(require_key_scope(kWriteBooks));
  api.del("/books/{id}", remove)
      .docs({.summary = "Deletes a book (staff only)", .tags = {"books"}})
      .guard(require_key_scope(kWriteBooks));
  api.get("/books/{id}/reviews", list_reviews)
      .docs({.summary = "Lists the reviews of a book", .tags = {"reviews"}});
  api.post("/books/{id}/reviews", review)
      .docs({.summary = "Adds a review", .tags = {"reviews"}})
      .guard(require_key_scope(kPlaceOrders));
}

}  // namespace bookstore
