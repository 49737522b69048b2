// A program with admin pages on any database, for tests/integration/admin_test.py.
#include <eider/admin.h>
#include <eider/eider.h>
#include <eider/mariadb.h>
#include <eider/postgres.h>
#include <eider/sqlite.h>

#include <chrono>
#include <optional>
#include <string>

using namespace eider;

namespace {

struct Options {
  std::string database = "admin.db";
};

enum class Genre { novel, crime };

struct NewAuthor {
  Sized<std::string, 1, 100> name;
};
struct Author {
  std::int64_t id = 0;
  std::string name;

  using New = NewAuthor;
};

struct NewBook {
  Sized<std::string, 1, 100> title;
  Genre genre;
  Bounded<int, 0, 1'000'000> stock = 0;
  bool in_print = true;
  double weight = 0;
  std::optional<std::chrono::sys_seconds> printed = {};
  std::optional<std::int64_t> author_id = {};
};
struct Book {
  std::int64_t id = 0;
  std::string title;
  Genre genre = Genre::novel;
  int stock = 0;
  bool in_print = true;
  double weight = 0;
  std::optional<std::chrono::sys_seconds> printed = {};
  std::optional<std::int64_t> author_id = {};
  int version = 1;

  using New = NewBook;
};

struct Review {
  std::int64_t id = 0;
  std::int64_t book_id = 0;
  std::string text;
};
struct Loan {
  std::int64_t id = 0;
  std::int64_t book_id = 0;
};

Database open(const std::string& where) {
  if (where.starts_with("mysql:")) {
    return open_mariadb(where);
  }
  return where.contains('=') ? open_postgres(where) : open_sqlite(where);
}

/// Returns the user named in a header. This is insecure: the program runs only in tests.
Result<AdminUser> user_of(Header<"X-User", std::optional<std::string>> user) {
  return *user ? Result<AdminUser>(AdminUser{.id = **user, .name = **user})
               : fail(Error::unauthorized("Log in first."));
}

}  // namespace

int main(int argc, char** argv) {
  return run_app<Options>("admin_app", argc, argv, [](const Options& options) {
    App app;
    app.state(open(options.database));
    serve_admin(app, "/admin", {.guard = &user_of})
        .resource<Author>()
        .resource<Book>({.filters = {"printed", "in_print"},
                         .actions = {{"empty", "Empty",
                                      [](AdminSelection books, State<Database> db) -> Task<> {
                                        for (const std::int64_t id : books.ids()) {
                                          co_await db->exec(
                                              "update books set stock = 0 where id = $1", id);
                                        }
                                      }}}})
        .resource<Review>()
        .resource<Loan>();
    return app;
  });
}
