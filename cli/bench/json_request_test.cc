#include "cli/bench/requests.h"

#include <gtest/gtest.h>

namespace eider::bench {
namespace {

constexpr Origin kOrigin{"http", "h:1"};
using Fields = std::vector<std::string>;

JsonRequest read(std::string_view line) {
  auto request = read_json_request(line, kOrigin);
  EXPECT_TRUE(request) << request.error();
  return request ? *request : JsonRequest();
}

TEST(BenchJsonRequest, NeedsNothingButWhatIsAskedFor) {
  const JsonRequest request = read(R"({"path": "/notes?page=2"})");
  EXPECT_EQ(request.method, "GET");
  EXPECT_EQ(request.target, "/notes?page=2");
  EXPECT_EQ(request.fields, Fields());
  EXPECT_EQ(request.body, "");
}

TEST(BenchJsonRequest, KeepsAllThatIsSaid) {
  const JsonRequest request =
      read(R"({"method": "PUT", "url": "http://H:1/a b?c", "headers": {"X-B": " 2 ", "X-A": ""},)"
           R"( "body": "tekst\n\u00e4"})");
  EXPECT_EQ(request.method, "PUT");
  EXPECT_EQ(request.target, "/a%20b?c");
  EXPECT_EQ(request.fields, (Fields{"X-A: ", "X-B: 2"}));
  EXPECT_EQ(request.body, "tekst\n\xC3\xA4");
}

TEST(BenchJsonRequest, SendsOtherBodiesAsJson) {
  const JsonRequest request = read(R"({"path": "/", "body": {"text": ["a", 1, null]}})");
  EXPECT_EQ(request.method, "POST");
  EXPECT_EQ(request.fields, (Fields{"Content-Type: application/json"}));
  EXPECT_EQ(request.body, R"({"text":["a",1,null]})");
  EXPECT_EQ(read(R"({"path": "/", "body": 7, "headers": {"content-TYPE": "x/y"}})").fields,
            (Fields{"content-TYPE: x/y"}));
  EXPECT_EQ(read(R"({"path": "/", "body": ""})").method, "POST");
  EXPECT_EQ(read(R"({"path": "/", "body": null})").method, "GET");
}

TEST(BenchJsonRequest, TellsTheKeyThatIsWrong) {
  const std::vector<std::pair<std::string_view, std::string_view>> bad = {
      {"{", ""},
      {R"({"path": "/"} x)", ""},
      {"{}", "key \"path\": is missing"},
      {R"({"path": "/", "paht": "/"})", "key \"paht\""},
      {R"({"path": "/", "path": "/"})", "key \"path\""},
      {R"({"path": 7})", "key \"path\""},
      {R"({"path": "notes"})", "key \"path\": 'notes' is not a valid request target"},
      {R"({"path": "/a b"})", "key \"path\""},
      {R"({"path": "/", "url": "http://h:1/"})", "key \"url\": cannot be combined with path"},
      {R"({"url": "http://other:1/"})", "is not a URL of http://h:1"},
      {R"({"url": "https://h:1/"})", "is not a URL of http://h:1"},
      {R"({"url": "/a"})", "key \"url\": "},
      {R"({"path": "/", "method": "G T"})", "key \"method\": 'G T' is not a supported method"},
      {R"({"path": "/", "method": "CONNECT"})", "key \"method\""},
      {R"({"path": "/", "headers": {"X A": "b"}})", "key \"headers/X A\""},
      {R"({"path": "/", "headers": {"X-A": "b\r\nX-B: c"}})", "key \"headers/X-A\""},
      {R"({"path": "/", "headers": {"Content-Length": "3"}})", "key \"headers/Content-Length\""},
      {R"({"path": "/", "headers": {"X-A": 1}})", "key \"headers/X-A\""},
      {R"({"path": "/", "headers": ["X-A"]})", "key \"headers\""},
  };
  for (const auto& [line, why] : bad) {
    const auto request = read_json_request(line, kOrigin);
    ASSERT_FALSE(request) << line;
    EXPECT_FALSE(request.error().empty());
    EXPECT_NE(request.error().find(why), std::string::npos) << request.error();
  }
}

TEST(BenchJsonRequest, IsWholeOnlyAtItsEnd) {
  constexpr std::string_view kLine =
      R"({"method": "PUT", "path": "/", "headers": {"A": "b"}, "body": [1, "x"]})";
  for (std::size_t bytes = 0; bytes < kLine.size(); ++bytes) {
    EXPECT_FALSE(read_json_request(kLine.substr(0, bytes), kOrigin)) << bytes;
  }
  EXPECT_TRUE(read_json_request(kLine, kOrigin));
}

}  // namespace
}  // namespace eider::bench
