// CRUD routes for a table in one line: in SQLite, in PostgreSQL with
// DATABASE=postgres://me@localhost/, or in MariaDB with DATABASE=mysql://me@localhost/books
//   curl localhost:8080/books --json '{"title": "Emma", "year": 1815}'
//   curl -X PATCH localhost:8080/books/1 -H 'If-Match: "0"' --json '{"year": null}'
//   curl 'localhost:8080/books?year_min=1800&sort=year_desc', localhost:8080/openapi.json
#include <eider/crud.h>
#include <eider/eider.h>
#include <eider/mariadb.h>
#include <eider/postgres.h>
#include <eider/sqlite.h>

#include <cstdlib>

using namespace eider;

struct NewBook {
  Sized<std::string, 1, 200> title;
  std::optional<Bounded<int, 0, 2100>> year;
};

enum class BookOrder : std::uint8_t { title, year_desc };

struct FindBooks {
  std::optional<Bounded<int, 0, 2100>> year_min, year_max;
  std::optional<Sized<std::string, 1, 50>> title_contains;
  BookOrder sort = BookOrder::title;
  PageNumber page = 1;
  PageSize<100> per_page = 20;
};

struct Book {
  std::int64_t id;
  std::string title;
  std::optional<int> year;
  int version;

  using New = NewBook;
  using Find = FindBooks;
};

Database open_database() {
  if (const char* where = std::getenv("DATABASE")) {
    return std::string_view(where).starts_with("mysql:") ? open_mariadb(where)
                                                         : open_postgres(where);
  }
  const char* file = std::getenv("SQLITE");
  return open_sqlite(file == nullptr ? "books.db" : file);
}

Task<> make_table(State<Database> db) {
  std::string key = "integer primary key autoincrement";
  if (db->dialect() == db::Dialect::postgres) {
    key = "bigint generated always as identity primary key";
  } else if (db->dialect() == db::Dialect::mariadb) {
    key = "bigint auto_increment primary key";
  }
  const db::RuntimeSql table{"create table if not exists books(id " + key +
                             ", title varchar(200) not null, year int, version int not null "
                             "default 0, constraint books_title_key unique(title))"};
  co_await db->script(table);
}

App make_app() {
  App app;
  const Database database = open_database();
  app.state(database);
  app.on_start("database", make_table);
  const db::Records<Book> books(database, {.name = "books", .version = "version"});
  CrudRoutes<Book>(app, "/books", books)
      .on_conflict("books_title_key", &NewBook::title, "is taken");
  serve_openapi(app, {.title = "Books", .version = "1.0.0"});
  return app;
}

int main(int argc, char** argv) {
  return run_app("crud", argc, argv, make_app);
}
