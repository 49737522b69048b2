#include "orders/cart_pages.h"

#include <eider/forms.h>
#include <eider/views.h>

#include <algorithm>

#include "cart.html.h"
#include "catalogue/books.h"
#include "site/responses.h"

namespace bookstore {

using namespace eider;

namespace {

struct CountForm {
  Bounded<int, 0, kCountMax> count;
};

/// Puts that number of copies into the cart, or as many as are in stock, and shows a message.
///
/// done    message if all copies are available
/// errors  404
Task<Result<void>> take(std::int64_t id, int wanted, Session<Visit> session, const Books& books,
                        Translator tr, std::string done) {
  const std::optional<Book> book = co_await books.find(id);
  if (!book) {
    co_return fail(Error::not_found("This book does not exist."));
  }
  const int count = std::min({wanted, book->stock, kCountMax});
  if (!set_count(session->cart, id, count)) {
    session.flash("error", tr("Your cart is full."));
  } else if (count < wanted) {
    session.flash("error", tr.plural("Only {count} copy is available.",
                                     "Only {count} copies are available.", count));
  } else {
    session.flash("info", std::move(done));
  }
  co_return {};
}

Task<Result<Redirect>> put(std::int64_t id, BoundForm<CountForm> form, Session<Visit> session,
                           State<Books> books, const Translator& tr) {
  if (!form.is_valid()) {
    session.flash("error", tr("This is not a valid number of books."));
  } else if (form->count == 0) {  // also of a book that is sold no more
    set_count(session->cart, id, 0);
    session.flash("info", tr("The cart was updated."));
  } else {
    const Result<void> taken =
        co_await take(id, form->count, session, *books, tr, tr("The cart was updated."));
    if (!taken) {
      co_return fail(taken.error());
    }
  }
  co_return Redirect("/cart");
}

Task<Result<Redirect>> add(std::int64_t id, BoundForm<CountForm> form, Session<Visit> session,
                           State<Books> books, const Translator& tr) {
  if (!form.is_valid()) {
    session.flash("error", tr("This is not a valid number of books."));
    co_return Redirect("/cart");
  }
  const int wanted = count_of(session->cart, id) + *form->count;
  const Result<void> taken =
      co_await take(id, wanted, session, *books, tr, tr("The book is in your cart."));
  co_return taken ? Result<Redirect>(Redirect("/cart")) : fail(taken.error());
}

Task<Response> show(Frame frame, Session<Visit> session, State<Books> books, State<Views> views) {
  CartPage page;
  page.entries = co_await entries_of(frame, session, *books);
  page.total_cents = total_of(page.entries);
  page.frame = std::move(frame);
  co_return shown(*views, session, page);
}

}  // namespace

Task<std::vector<CartEntry>> entries_of(Frame& frame, Session<Visit> session, const Books& books) {
  std::vector<std::int64_t> ids;
  for (const CartLine& line : frame.cart) {
    ids.push_back(line.book_id);
  }
  std::vector<CartEntry> entries;
  Cart cart;
  const std::vector<Book> found = co_await books.find_all(std::move(ids));
  for (const Book& book : found) {
    const int count = count_of(frame.cart, book.id);
    entries.push_back({book.id, book.title, book.price_cents, book.stock, count});
    cart.push_back({book.id, count});
  }
  if (cart.size() < frame.cart.size()) {
    session.flash("error", frame.tr("A book is no longer sold."));
    session->cart = cart;
    frame.cart_count = count_of(cart);
    frame.cart = std::move(cart);
  }
  co_return entries;
}

std::int64_t total_of(const std::vector<CartEntry>& entries) {
  std::int64_t cents = 0;
  for (const CartEntry& entry : entries) {
    cents += entry.price_cents * entry.count;
  }
  return cents;
}

void add_cart_pages(Routes& app) {
  app.get("/cart", show);
  app.post("/cart/{id}", put);
  app.post("/cart/{id}/more", add);
}

}  // namespace bookstore
