// A guest book with compiled templates; with --development, changed templates are used at once.
#include <eider/eider.h>
#include <eider/views.h>

#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "book.html.h"
#include "guestbook.h"

namespace {

using namespace eider;
using guestbook::BookPage;
using guestbook::Entry;

constexpr std::size_t kEntriesMax = 100;

struct PageOptions {
  bool development = false;
  std::string templates = "pages";

  static constexpr OptionText kOptions[] = {
      {"development", "Show changed templates without a build; only for development"},
      {"templates", "Directory with the templates", "DIRECTORY"}};
};

class Book {
 public:
  [[nodiscard]] BookPage page() const {
    const std::scoped_lock lock(mutex_);
    return {.entries = entries_};
  }
  void add(Entry entry) {
    const std::scoped_lock lock(mutex_);
    if (entries_.size() < kEntriesMax) {
      entries_.push_back(std::move(entry));
    }
  }

 private:
  mutable std::mutex mutex_;
  std::vector<Entry> entries_;
};

App make_app(const PageOptions& own) {
  ViewsOptions views{.directory = own.templates, .development = own.development};
  views.filters.add("initial", guestbook::initial);

  App app;
  add_views(app, std::move(views));
  app.state<Book>();
  app.get("/", [](State<Book> book, State<Views> shown) { return shown->page(book->page()); });
  app.get("/entries", [](State<Book> book, State<Views> shown) {
    return shown->fragment(book->page(), "entries");
  });
  app.post("/entries", [](Form<Entry> entry, State<Book> book) {
    book->add(std::move(*entry));
    return Redirect("/");
  });
  return app;
}

}  // namespace

int main(int argc, char** argv) {
  return run_app<PageOptions>("templates", argc, argv, make_app);
}
