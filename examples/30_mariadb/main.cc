// Books in MariaDB. Start it with DATABASE=mysql://me@localhost/books
//   curl -d '{"title": "Emma", "year": 1815}' -H 'Content-Type: application/json' :8080/books
//   curl :8080/books
#include <eider/eider.h>
#include <eider/mariadb.h>

#include <cstdlib>

using namespace eider;

struct Book {
  std::int64_t id;
  std::string title;
  std::optional<int> year;
};

struct NewBook {
  Sized<std::string, 1, 200> title;
  std::optional<Bounded<int, 0, 2100>> year;
};

Task<> make_table(State<Database> db) {
  co_await db->script(
      "create table if not exists books(id bigint auto_increment primary key, title varchar(200) "
      "not null, year int, constraint books_title_key unique(title))");
}

Task<Created<Book>> add(Json<NewBook> book, State<Database> db) {
  std::optional<Book> added =
      co_await db
          ->one<Book>("insert into books(title, year) values($1, $2) returning id, title, year",
                      book->title, book->year)
          .on_conflict("books_title_key", &NewBook::title, "is taken");
  co_return Created(std::move(*added));
}

App make_app() {
  App app;
  const char* where = std::getenv("DATABASE");
  app.state(open_mariadb(where == nullptr ? "mysql://localhost/books" : where));
  app.on_start("database", make_table);
  app.get("/books", [](State<Database> db) -> Task<std::vector<Book>> {
    co_return co_await db->all<Book>("select id, title, year from books order by title limit 100");
  });
  // All rows, whatever their number, as fast as the client reads.
  app.get("/books.csv", [](State<Database> db) -> CsvRows<Book> {
    return db->stream<Book>("select id, title, year from books order by id");
  });
  app.get("/books/{id}", [](std::int64_t id, State<Database> db) -> Task<std::optional<Book>> {
    co_return co_await db->one<Book>("select id, title, year from books where id = $1", id);
  });
  app.post("/books", add);
  return app;
}

int main(int argc, char** argv) {
  return run_app("books", argc, argv, make_app);
}
