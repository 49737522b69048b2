#include "catalogue/book_pages.h"

#include <eider/forms.h>
#include <eider/views.h>

#include "book.html.h"
#include "catalogue/books.h"
#include "catalogue/covers.h"
#include "catalogue/shelf.h"
#include "shelf.html.h"
#include "site/responses.h"

namespace bookstore {

using namespace eider;

namespace {

Task<Response> show_shelf(Query<BookQuery> query, Pagination pagination, Frame frame,
                          Session<> session, State<Books> books, State<Views> views) {
  BookList list = co_await books->list(*query);
  ShelfPage page;
  page.q = query->q ? std::string(**query->q) : "";
  page.price_max = query->price_max ? std::to_string(int{*query->price_max}) : "";
  page.in_stock = query->in_stock;
  page.genres = genre_choices(*query, frame.tr);
  page.sorts = sort_choices(*query, frame.tr);
  page.total = list.total;
  page.books = std::move(list.books);
  page.pages = translated(frame.tr, pagination.links(*query, list.total));
  page.frame = std::move(frame);
  co_return shown(*views, session, page);
}

Task<Result<BookPage>> page_of(std::int64_t id, const Books& books, Frame frame) {
  std::optional<Book> book = co_await books.find(id);
  if (!book) {
    co_return fail(Error::not_found("This book does not exist."));
  }
  std::vector<Review> reviews = co_await books.reviews(id);
  const int in_cart = count_of(frame.cart, id);
  co_return BookPage{std::move(frame), std::move(*book), std::move(reviews), in_cart, {}, {}};
}

FormOptions cover_options(std::int64_t id) {
  return {.action = "/covers/" + std::to_string(id), .submit = "Upload", .id_prefix = "staff"};
}

FormOptions review_options(std::int64_t id) {
  return {.action = "/books/" + std::to_string(id) + "/reviews", .submit = "Send"};
}

Task<Result<Response>> show_book(std::int64_t id, EmptyForm<NewReview> form,
                                 EmptyForm<CoverForm> cover, Frame frame, Session<> session,
                                 State<Books> books, State<Views> views) {
  Result<BookPage> page = co_await page_of(id, *books, std::move(frame));
  if (!page) {
    co_return fail(page.error());
  }
  page->form = form.view(review_options(id));
  page->cover = cover.view(cover_options(id));
  co_return shown(*views, session, std::move(*page));
}

Task<Result<Response>> write_review(std::int64_t id, BoundForm<NewReview> form, Frame frame,
                                    const User& user, Session<> session, State<Books> books,
                                    State<Views> views) {
  Result<BookPage> page = co_await page_of(id, *books, std::move(frame));
  if (!page) {
    co_return fail(page.error());
  }
  if (!form.is_valid()) {
    page->form = form.view(review_options(id));
    co_return shown(*views, session, std::move(*page), 422);
  }
  co_await books->review(id, user.id, *form);
  session.flash("info", page->frame.tr("Thank you for your review."));
  co_return see_other("/books/" + std::to_string(id) + "#reviews");
}

}  // namespace

void add_book_pages(Routes& app) {
  app.get("/", show_shelf);
  app.get("/books/{id}", show_book);
  app.post("/books/{id}/reviews", write_review);
}

}  // namespace bookstore
