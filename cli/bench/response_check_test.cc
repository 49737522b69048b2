#include "cli/bench/response_check.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "cli/bench/response_scanner.h"

namespace eider::bench {
namespace {

/// The difference of each response of a connection, as text; "" without one.
class Checking {
 public:
  explicit Checking(Expected expected) : expected_(std::move(expected)) {}

  Checking& feed(std::string_view bytes) {
    while (!bytes.empty()) {
      const Scan scan = scanner_.scan(bytes, Method::get, known_);
      bytes.remove_prefix(scan.used);
      if (scan.status == ScanStatus::refused) {
        found_.push_back("refused: " + scanner_.why());
        return *this;
      }
      if (scan.status == ScanStatus::whole) {
        const auto difference = scanner_.check().end(scan.code);
        found_.push_back(difference ? std::string(name(difference->fault)) + ": " + difference->why
                                    : "");
      }
    }
    return *this;
  }
  [[nodiscard]] const std::vector<std::string>& found() const { return found_; }
  [[nodiscard]] const ResponseCheck& check() const { return scanner_.check(); }

 private:
  Expected expected_;
  h1::ResponseReader reader_;
  ResponseScanner scanner_{reader_, expected_};
  KnownHead known_;
  std::vector<std::string> found_;
};

Expected hello() {
  return {200, "Hello", 5};
}

std::string sized(std::string_view body, std::string_view status = "200 OK") {
  return std::string("HTTP/1.1 ")
      .append(status)
      .append("\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n")
      .append(body);
}

const std::string kChunkedHello =
    "HTTP/1.1 200 OK\r\ntransfer-encoding:  chunked\r\n\r\n"
    "2\r\nHe\r\n3;name=value\r\nllo\r\n0\r\nX-Sum: 1\r\n\r\n";

TEST(ResponseCheck, TakesWhatIsExpectedHoweverItIsFramedAndCut) {
  const std::string all = sized("Hello") + sized("Hello") + kChunkedHello + sized("Hello");
  const std::vector<std::string> right(4);
  for (std::size_t piece = 1; piece <= all.size(); ++piece) {
    Checking checking(hello());
    for (std::size_t at = 0; at < all.size(); at += piece) {
      checking.feed(std::string_view(all).substr(at, piece));
    }
    ASSERT_EQ(checking.found(), right) << piece;
  }
}

TEST(ResponseCheck, SeesOneWrongResponseAmongManyHoweverTheyAreCut) {
  // Equal headers, which the scanner skips: the bodies are checked anyway.
  const std::string all = sized("Hello") + sized("Hello") + sized("HellO") + sized("Hello");
  for (std::size_t cut = 0; cut < all.size(); ++cut) {
    Checking checking(hello());
    checking.feed(std::string_view(all).substr(0, cut)).feed(std::string_view(all).substr(cut));
    ASSERT_EQ(checking.found(),
              (std::vector<std::string>{
                  "", "", R"(differs: Response body "HellO" instead of "Hello".)", ""}))
        << cut;
  }
}

TEST(ResponseCheck, NamesWhatIsWrong) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {sized("no", "500 No"), R"(wrong_status: Status 500 instead of 200, with "no".)"},
      {sized("HellO"), R"(differs: Response body "HellO" instead of "Hello".)"},
      {sized("Hell"), R"(differs: Response body "Hell" instead of "Hello".)"},
      {sized("Hello!"), R"(differs: Response body "Hello!" instead of "Hello".)"},
      {"HTTP/1.1 204 No Content\r\n\r\n", R"(wrong_status: Status 204 instead of 200, with "".)"},
      {sized(""), R"(differs: Response body "" instead of "Hello".)"},
  };
  for (const auto& [response, why] : cases) {
    EXPECT_EQ(Checking(hello()).feed(response).feed(response).found(),
              (std::vector<std::string>{why, why}));
  }
}

TEST(ResponseCheck, NamesTheBeginningOfALongResponseOnly) {
  const auto found = Checking(hello()).feed(sized(std::string(5000, 'x'))).found();
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0],
            "differs: Response body \"" + std::string(80, 'x') + "…\" instead of \"Hello\".");
}

TEST(ResponseCheck, NamesALengthAlone) {
  const Expected six{.status = std::nullopt, .body = std::nullopt, .body_bytes = 6};
  EXPECT_EQ(Checking(six).feed(sized("Hello") + sized("Hello!", "404 No")).found(),
            (std::vector<std::string>{"differs: Response of 5 bytes instead of 6.", ""}));
}

TEST(ResponseCheck, TakesAnythingWhereNothingIsExpected) {
  EXPECT_EQ(Checking({}).feed(sized("x") + sized("", "500 Oh") + kChunkedHello).found(),
            std::vector<std::string>(3));
}

TEST(ResponseCheck, KnowsAnUnfinishedResponse) {
  Checking checking({.status = 200, .body = "data: 0\n\ndata: 1\n\n", .body_bytes = {}});
  checking.feed("HTTP/1.1 200 OK\r\nContent-Length: 18\r\n\r\ndata: 0\n\nda");
  EXPECT_EQ(checking.check().right_bytes(), 11U);
  EXPECT_TRUE(checking.check().is_right_so_far());
  checking.feed("tA");
  EXPECT_EQ(checking.check().right_bytes(), 0U);
  EXPECT_FALSE(checking.check().is_right_so_far());
}

/// Counts the empty lines, which is slow but simple.
std::uint64_t empty_lines(std::string_view stream) {
  std::uint64_t count = 0;
  for (std::size_t at = 0; (at = stream.find("\n\n", at)) != std::string_view::npos; at += 2) {
    ++count;
  }
  return count;
}

TEST(Events, TheStreamCountsFromNothing) {
  EXPECT_EQ(stream_text(0), "");
  EXPECT_EQ(stream_text(2), "data: 0\n\ndata: 1\n\n");
  EXPECT_TRUE(stream_text(12).ends_with("data: 9\n\ndata: 10\n\ndata: 11\n\n"));
}

TEST(Events, AreCountedRightlyWhereverTheStreamIsCut) {
  for (const unsigned events : {0U, 1U, 9U, 10U, 11U, 99U, 100U, 101U, 1234U}) {
    const std::string stream = stream_text(events);
    for (std::size_t bytes = 0; bytes <= stream.size(); ++bytes) {
      ASSERT_EQ(events_within(bytes, events),
                empty_lines(std::string_view(stream).substr(0, bytes)))
          << events << " events, " << bytes << " bytes";
    }
  }
}

TEST(Events, AreNeverMoreThanTheStreamHas) {
  EXPECT_EQ(events_within(1'000'000, 100), 100U);
  EXPECT_EQ(events_within(1'000'000, 0), 0U);
}

}  // namespace
}  // namespace eider::bench
