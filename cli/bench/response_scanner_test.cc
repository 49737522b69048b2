#include "cli/bench/response_scanner.h"

#include <gtest/gtest.h>

#include <optional>

namespace eider::bench {
namespace {

struct Found {
  int code = 0;
  bool keeps_alive = false;

  friend bool operator==(const Found&, const Found&) = default;
};

/// All responses to requests with one method; nothing if one of them is refused.
class Scanning {
 public:
  explicit Scanning(Method asked = Method::get) : asked_(asked) {}

  bool feed(std::string_view bytes) {
    while (!bytes.empty()) {
      const Scan scan = scanner_.scan(bytes, asked_, known_);
      EXPECT_LE(scan.used, bytes.size());
      bytes.remove_prefix(scan.used);
      if (scan.status == ScanStatus::refused) {
        return false;
      }
      if (scan.status == ScanStatus::need_more) {
        EXPECT_TRUE(bytes.empty());
        return true;
      }
      found_.push_back({scan.code, scan.keeps_alive});
    }
    return true;
  }

  [[nodiscard]] const std::vector<Found>& found() const { return found_; }
  [[nodiscard]] const KnownHead& known() const { return known_; }
  [[nodiscard]] ResponseScanner& scanner() { return scanner_; }

 private:
  Method asked_;
  h1::ResponseReader reader_;
  Expected anything_;
  ResponseScanner scanner_{reader_, anything_};
  KnownHead known_;
  std::vector<Found> found_;
};

const std::string kPlain = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello";
const std::string kOtherDate =
    "HTTP/1.1 200 OK\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT\r\nContent-Length: 2\r\n\r\nhi";
const std::string kChunked =
    "HTTP/1.1 404 Not Found\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n1;x=y\r\nd\r\n0\r\n"
    "T: v\r\n\r\n";
const std::string kEmpty = "HTTP/1.1 204 No Content\r\n\r\n";
const std::string kNoBytes = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";
const std::string kContinue = "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n";
const std::string kLast = "HTTP/1.1 500 Oh\r\nConnection: close\r\nContent-Length: 1\r\n\r\n!";

const std::string kAll = kPlain + kPlain + kOtherDate + kChunked + kPlain + kEmpty + kEmpty +
                         kNoBytes + kContinue + kPlain + kContinue + kChunked + kLast;
const std::vector<Found> kAllFound = {{200, true}, {200, true}, {200, true}, {404, true},
                                      {200, true}, {204, true}, {204, true}, {200, true},
                                      {200, true}, {404, true}, {500, false}};

TEST(ResponseScanner, FindsEveryResponseOfAStream) {
  Scanning scanning;
  EXPECT_TRUE(scanning.feed(kAll));
  EXPECT_EQ(scanning.found(), kAllFound);
  EXPECT_FALSE(scanning.scanner().is_inside());
}

TEST(ResponseScanner, FindsTheSameHoweverTheBytesAreCut) {
  for (std::size_t cut = 1; cut < kAll.size(); ++cut) {
    Scanning scanning;
    EXPECT_TRUE(scanning.feed(std::string_view(kAll).substr(0, cut)));
    EXPECT_TRUE(scanning.feed(std::string_view(kAll).substr(cut)));
    EXPECT_EQ(scanning.found(), kAllFound) << cut;
  }
  for (const std::size_t piece : {1U, 2U, 3U, 7U, 40U}) {
    Scanning scanning;
    for (std::size_t at = 0; at < kAll.size(); at += piece) {
      EXPECT_TRUE(scanning.feed(std::string_view(kAll).substr(at, piece)));
    }
    EXPECT_EQ(scanning.found(), kAllFound) << piece;
  }
}

TEST(ResponseScanner, PassesOverEqualHeadsOnly) {
  Scanning scanning;
  EXPECT_TRUE(scanning.feed(kPlain));
  EXPECT_EQ(scanning.known().bytes, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n");
  EXPECT_EQ(scanning.known().content_bytes, 5U);
  // Of the same length, but with another status and another framing.
  EXPECT_TRUE(scanning.feed("HTTP/1.1 201 OK\r\nContent-Length: 1\r\n\r\n." + kPlain));
  EXPECT_EQ(scanning.found(), (std::vector<Found>{{200, true}, {201, true}, {200, true}}));
}

TEST(ResponseScanner, DoesNotPassOverWhatHasNotWhollyCome) {
  Scanning scanning;
  EXPECT_TRUE(scanning.feed(kPlain));
  EXPECT_TRUE(scanning.feed(std::string_view(kPlain).substr(0, kPlain.size() - 1)));
  EXPECT_EQ(scanning.found().size(), 1U);
  EXPECT_TRUE(scanning.scanner().is_inside());
  EXPECT_TRUE(scanning.feed("o"));
  EXPECT_EQ(scanning.found().size(), 2U);
}

TEST(ResponseScanner, KnowsThatHeadHasNoContent) {
  Scanning scanning(Method::head);
  const std::string head = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n";
  EXPECT_TRUE(scanning.feed(head + head + head));
  EXPECT_EQ(scanning.found().size(), 3U);
}

TEST(ResponseScanner, TakesContentThatEndsWithTheConnection) {
  Scanning scanning;
  EXPECT_TRUE(scanning.feed("HTTP/1.1 200 OK\r\n\r\nwhatever comes"));
  EXPECT_TRUE(scanning.found().empty());
  EXPECT_TRUE(scanning.scanner().may_end());
  EXPECT_EQ(scanning.scanner().code(), 200);

  Scanning sized;
  EXPECT_TRUE(sized.feed("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhell"));
  EXPECT_FALSE(sized.scanner().may_end());
}

TEST(ResponseScanner, RefusesWhatIsNoResponse) {
  for (const std::string_view bad :
       {"SSH-2.0-OpenSSH_9.6\r\n", "HTTP/1.1 99 Low\r\n\r\n", "HTTP/2 200 OK\r\n\r\n",
        "HTTP/1.1 200 OK\nContent-Length: 0\n\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n",
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n"}) {
    Scanning whole;
    EXPECT_FALSE(whole.feed(bad)) << bad;
    EXPECT_FALSE(whole.scanner().why().empty());
    Scanning cut;
    bool is_taken = true;
    for (std::size_t i = 0; i < bad.size() && is_taken; ++i) {
      is_taken = cut.feed(bad.substr(i, 1));
    }
    EXPECT_FALSE(is_taken) << bad;
  }
}

TEST(ResponseScanner, BeginsAnewOnAnotherConnection) {
  Scanning scanning;
  EXPECT_TRUE(scanning.feed("HTTP/1.1 200 OK\r\nContent-Le"));
  scanning.scanner().reset();
  EXPECT_TRUE(scanning.feed(kPlain));
  EXPECT_EQ(scanning.found().size(), 1U);
}

}  // namespace
}  // namespace eider::bench
