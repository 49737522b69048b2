// Books in PostgreSQL. Start it with DATABASE=postgres://me@localhost/books
//   curl -N :8080/added &
//   curl -d '{"title": "Emma", "year": 1815}' -H 'Content-Type: application/json' :8080/books
//   curl :8080/books
//   curl :8080/books.csv
//   curl :8080/backup.csv > books.csv; curl -T books.csv :8080/backup.csv
#include <eider/eider.h>
#include <eider/postgres.h>

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
      "create table if not exists books(id bigint generated always as identity primary key, "
      "title text not null unique, year int)");
}

Task<Created<Book>> add(Json<NewBook> book, State<Database> db) {
  Transaction transaction = co_await db->begin();
  std::optional<Book> added =
      co_await transaction
          .one<Book>("insert into books(title, year) values($1, $2) returning id, title, year",
                     book->title, book->year)
          .on_conflict("books_title_key", &NewBook::title, "is taken");
  co_await notify(transaction, "books", std::to_string(added->id));
  co_await transaction.commit();
  co_return Created(std::move(*added));
}

/// Sends a table as CSV, as fast as the client reads.
Task<> export_books(ResponseStream out, State<Database> db) {
  out.head().set_type("text/csv; charset=utf-8");
  CopyOut books = copy_out(*db, "copy books(title, year) to stdout (format csv, header)");
  while (const auto piece = co_await books.next()) {
    co_await out.write(*piece);
  }
}

/// Imports the whole upload, or nothing.
Task<Result<db::Changed>> import_books(BodyStream body, State<Database> db) {
  try {
    CopyIn books = copy_in(*db, "copy books(title, year) from stdin (format csv, header)");
    while (const auto part = co_await body.next()) {
      co_await books.write(*part);
    }
    co_return co_await books.finish();
  } catch (const db::Failure& failure) {
    if (failure.by().line == 0) {
      throw;
    }
    co_return fail(
        Error::invalid({{"", "line " + std::to_string(failure.by().line) + " was rejected"}}));
  }
}

Task<> watch(EventStream events, State<Database> db) {
  PostgresSubscriber books(*db);
  co_await books.subscribe("books");
  while (true) {
    const PostgresMessage message = co_await books.receive();
    co_await events.send({.event = message.is_gap ? "missed" : "book", .data = message.payload});
  }
}

App make_app() {
  App app;
  const char* where = std::getenv("DATABASE");
  app.state(open_postgres(where == nullptr ? "postgres://localhost/books" : where));
  app.on_start("database", make_table);
  app.get("/books", [](State<Database> db) -> Task<std::vector<Book>> {
    co_return co_await db->all<Book>("select id, title, year from books order by title limit 100");
  });
  app.get("/books/{id}", [](std::int64_t id, State<Database> db) -> Task<std::optional<Book>> {
    co_return co_await db->one<Book>("select id, title, year from books where id = $1", id);
  });
  app.post("/books", add);
  app.get("/added", watch);
  // All rows, whatever their number, as fast as the client reads.
  app.get("/books.csv", [](State<Database> db) -> CsvRows<Book> {
    return db->stream<Book>("select id, title, year from books order by id");
  });
  app.get("/books.jsonl", [](State<Database> db) -> JsonRows<Book> {
    return db->stream<Book>("select id, title, year from books order by id");
  });
  app.get("/backup.csv", export_books);
  app.put("/backup.csv", import_books).body_bytes_max(std::size_t{1} << 30U);
  return app;
}

int main(int argc, char** argv) {
  return run_app("books", argc, argv, make_app);
}
