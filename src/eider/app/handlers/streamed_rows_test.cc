#include "eider/app/handlers/streamed_rows.h"

#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "eider/app/app.h"
#include "eider/io/runtime/sleep.h"
#include "eider/testkit/log_lines.h"
#include "eider/testkit/test_client.h"

namespace eider {
namespace {

struct Book {
  std::int64_t id;
  std::string title;
  std::optional<int> year;
};

struct Shelf {
  std::vector<int> books;
};

/// A source of rows: each a moment later, or all at once followed by a failure.
template <class T>
class Source {
 public:
  using Value = T;

  explicit Source(std::vector<T> rows, bool fails = false)
      : rows_(std::move(rows)), fails_(fails) {}
  Task<std::optional<T>> next() {
    ++asked;
    if (!fails_) {
      co_await sleep_for(std::chrono::milliseconds(1));
    }
    if (at_ < rows_.size()) {
      co_return rows_[at_++];
    }
    if (fails_) {
      throw std::runtime_error("the rows ended amid");
    }
    co_return std::nullopt;
  }

  static inline int asked = 0;

 private:
  std::vector<T> rows_;
  std::size_t at_ = 0;
  bool fails_;
};

std::vector<Book> books() {
  return {{1, "Emma, again", 1815}, {2, "=cmd()", std::nullopt}};
}

App make_app() {
  App app;
  app.get("/books.jsonl", []() -> JsonRows<Book> { return Source<Book>(books()); });
  app.get("/books.csv", []() -> CsvRows<Book> {
    CsvRows<Book> rows = Source<Book>(books());
    rows.head().add_header("Content-Disposition", "attachment; filename=\"books.csv\"");
    return rows;
  });
  app.get("/as-they-are.csv",
          []() { return CsvRows<Book>(Source<Book>(books()), json::CsvFormulas::leave); });
  app.get("/none.jsonl", []() -> JsonRows<Book> { return Source<Book>({}); });
  app.get("/none.csv", []() -> Task<CsvRows<Book>> { co_return Source<Book>({}); });
  app.get("/shelves.csv", []() -> CsvRows<Shelf> { return Source<Shelf>({{{1, 2}}}); });
  app.get("/fails-first", []() -> JsonRows<Book> { return Source<Book>({}, true); });
  app.get("/fails-first.csv", []() -> CsvRows<Book> { return Source<Book>({}, true); });
  app.get("/fails", []() -> JsonRows<Book> { return Source<Book>(books(), true); });
  return app;
}

TEST(StreamedRows, are_json_lines_or_csv) {
  const App app = make_app();
  TestClient client(app);
  const TestResponse lines = client.get("/books.jsonl");
  EXPECT_EQ(lines.header("Content-Type"), "application/x-ndjson");
  EXPECT_EQ(
      lines.body,
      "{\"id\":1,\"title\":\"Emma, again\",\"year\":1815}\n{\"id\":2,\"title\":\"=cmd()\"}\n");
  const TestResponse table = client.get("/books.csv");
  EXPECT_EQ(table.header("Content-Type"), "text/csv; charset=utf-8");
  EXPECT_EQ(table.header("Content-Disposition"), "attachment; filename=\"books.csv\"");
  EXPECT_EQ(table.body, "id,title,year\r\n1,\"Emma, again\",1815\r\n2,'=cmd(),\r\n");
  EXPECT_TRUE(client.get("/as-they-are.csv").body.ends_with("2,=cmd(),\r\n"));
}

TEST(StreamedRows, may_be_none) {
  const App app = make_app();
  TestClient client(app);
  EXPECT_EQ(client.get("/none.jsonl").status, 200);
  EXPECT_EQ(client.get("/none.jsonl").body, "");
  EXPECT_EQ(client.get("/none.csv").body, "id,title,year\r\n");
}

TEST(StreamedRows, that_fail_ahead_of_the_first_are_an_error) {
  const App app = make_app();
  TestClient client(app);
  EXPECT_EQ(client.get("/fails-first").status, 500);
  EXPECT_EQ(client.get("/fails-first.csv").status, 500);
  EXPECT_EQ(client.get("/shelves.csv").status, 500);
}

TEST(StreamedRows, that_fail_later_are_cut_short_and_told_in_the_log) {
  App app = make_app();
  const auto log = std::make_shared<LogLines>();
  app.log_to(log);
  TestClient client(app);
  const std::string told = client.raw("GET /fails HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_TRUE(told.contains("\"id\":2")) << told;
  EXPECT_FALSE(told.contains("\r\n0\r\n")) << told;  // without its last chunk, it is incomplete
  ASSERT_EQ(log->lines.size(), 1U);
  EXPECT_TRUE(log->lines[0].contains("the rows ended amid")) << log->lines[0];
}

TEST(StreamedRows, are_not_asked_for_head) {
  const App app = make_app();
  TestClient client(app);
  const int before = Source<Book>::asked;
  const TestResponse head = client.send({.method = Method::head, .target = "/books.csv"});
  EXPECT_EQ(head.status, 200);
  EXPECT_EQ(head.header("Content-Type"), "text/csv; charset=utf-8");
  EXPECT_EQ(Source<Book>::asked, before);
}

}  // namespace
}  // namespace eider
