#include <eider/forms.h>
#include <eider/views.h>

#include <algorithm>

#include "admin/admin_pages.h"
#include "admin/book.html.h"
#include "admin/book_form.h"
#include "catalogue/books.h"
#include "catalogue/covers.h"
#include "site/answers.h"

namespace bookstore {

using namespace eider;

namespace {

constexpr int kChangedMeanwhile = 412;

BookForm form_of(const Book& book, const eider::Translator& tr) {
  const std::string price = typed_price(book.price_cents, tr);
  return {book.title, book.author, book.isbn, book.genre, book.year, std::string_view(price),
          book.stock, book.summary};
}

NewBook book_of(const BookForm& form) {
  return {form.title, form.author, form.isbn, form.genre, form.year, *cents_of(*form.price),
          form.stock, form.summary};
}

const FormOptions kNew{.action = "/admin/books/new", .submit = "Save"};

/// The form goes back with what it was shown with.
FormOptions options_of(std::int64_t id, const Seen& seen) {
  return {.action = "/admin/books/" + std::to_string(id) + "?version=" +
                    std::to_string(seen.version) + "&stock=" + std::to_string(*seen.stock),
          .submit = "Save"};
}

FormOptions cover_options(std::int64_t id) {
  return {.action = "/covers/" + std::to_string(id), .submit = "Upload"};
}

Response show_new(EmptyForm<BookForm> form, Frame frame, const Staff&, Session<> session,
                  State<Views> views) {
  AdminBookPage page;
  page.frame = std::move(frame);
  page.form = form.view(kNew);
  return shown(*views, session, std::move(page));
}

Task<Result<Response>> show(std::int64_t id, EmptyForm<BookForm> form, EmptyForm<CoverForm> cover,
                            Frame frame, const Staff&, Session<> session, State<Books> books,
                            State<Views> views) {
  const std::optional<Book> book = co_await books->find(id);
  if (!book) {
    co_return fail(Error::not_found("This book does not exist."));
  }
  FormView filled =
      form.view_of(form_of(*book, frame.tr), options_of(id, {book->version, book->stock}));
  AdminBookPage page{std::move(frame), id, book->has_cover, std::move(filled),
                     cover.view(cover_options(id))};
  co_return shown(*views, session, std::move(page));
}

/// id      0: a new one
/// errors  404; 409 at the ISBN; 412 as Books::replace
Task<Result<Book>> save(std::int64_t id, NewBook book, Seen seen, const Books& books) {
  try {
    if (id == 0) {
      co_return co_await books.add(std::move(book));
    }
    co_return co_await books.replace(id, std::move(book), seen);
  } catch (const db::Failure& failure) {
    if (failure.kind() != db::FailureKind::unique) {
      throw;
    }
  }
  co_return fail(Error::conflict("A book with this ISBN already exists."));
}

Response saved(const Book& book, const Frame& frame, const Session<>& session) {
  session.flash("info", frame.tr("The book was saved."));
  return see_other("/admin/books/" + std::to_string(book.id));
}

Task<Response> add(BoundForm<BookForm> form, Frame frame, const Staff&, Session<> session,
                   State<Books> books, State<Views> views) {
  if (form.is_valid()) {
    const Result<Book> added = co_await save(0, book_of(*form), {}, *books);
    if (added) {
      co_return saved(*added, frame, session);
    }
    form.add(form->isbn, frame.tr(added.error().detail()));
  }
  AdminBookPage page;
  page.frame = std::move(frame);
  page.form = form.view(kNew);
  co_return shown(*views, session, std::move(page), 422);
}

/// What was typed over the book as it is now, with as many more or less in stock.
FormView again(const EmptyForm<BookForm>& form, BookForm typed, const Seen& seen, const Book& now) {
  const int stock = now.stock + *typed.stock - *seen.stock;
  typed.stock = std::clamp(stock, 0, kStockMax);
  return form.view_of(typed, options_of(now.id, {now.version, now.stock}));
}

Task<Result<Response>> replace(std::int64_t id, Query<Seen> seen, BoundForm<BookForm> form,
                               EmptyForm<BookForm> blank, Frame frame, const Staff&,
                               Session<> session, State<Books> books, State<Views> views) {
  AdminBookPage page;
  page.id = id;
  if (form.is_valid()) {
    const Result<Book> replaced = co_await save(id, book_of(*form), *seen, *books);
    const std::optional<Book> now = co_await books->find(id);
    if (!now) {
      co_return fail(Error::not_found("This book does not exist."));
    }
    if (replaced) {
      co_return saved(*replaced, frame, session);
    }
    const std::string why = frame.tr(replaced.error().detail());
    if (replaced.error().status() == kChangedMeanwhile) {
      session.flash("error", why);
      page.form = again(blank, *form, *seen, *now);
    } else {
      form.add(form->isbn, why);
    }
  }
  if (page.form.fields.empty()) {
    page.form = form.view(options_of(id, *seen));
  }
  page.frame = std::move(frame);
  co_return shown(*views, session, std::move(page), 422);
}

}  // namespace

void add_book_editor(Routes& app) {
  app.get("/admin/books/new", show_new);
  app.get("/admin/books/{id}", show);
  app.post("/admin/books/new", add);
  app.post("/admin/books/{id}", replace);
}

}  // namespace bookstore
