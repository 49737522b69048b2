#include <eider/views.h>

#include "admin/admin_pages.h"
#include "admin/books.html.h"
#include "catalogue/books.h"
#include "site/answers.h"

namespace bookstore {

using namespace eider;

namespace {

Task<Response> list(Query<BookQuery> query, Pagination pagination, Frame frame, Session<> session,
                    const Staff&, State<Books> books, State<Views> views) {
  query->per_page = 50;
  BookList list = co_await books->list(*query);
  const std::string words = query->q ? std::string(**query->q) : "";
  auto links = translated(frame.tr, pagination.links(*query, list.total));
  const AdminBooksPage page{std::move(frame), words, std::move(list.books), list.total,
                            std::move(links)};
  co_return shown(*views, session, page);
}

Task<Redirect> remove(std::int64_t id, const Staff&, Session<> session, State<Books> books,
                      const Translator& tr) {
  if (co_await books->remove(id)) {
    session.flash("info", tr("The book was deleted."));
  }
  co_return Redirect("/admin/books");
}

}  // namespace

void add_book_administration(Routes& app) {
  app.get("/admin/books", list);
  app.post("/admin/books/{id}/remove", remove);
}

}  // namespace bookstore
