#include "cli/bench/requests.h"

#include <gtest/gtest.h>

namespace eider::bench {
namespace {

constexpr Origin kAsked{"http", "h"};

TEST(BenchRequests, AreWrittenWithTheirHostAndLength) {
  EXPECT_EQ(request_text({"GET", "/a?b=c", ""}, "h:80", {}),
            "GET /a?b=c HTTP/1.1\r\nHost: h:80\r\n\r\n");
  EXPECT_EQ(request_text({"POST", "/", "{}"}, "h", {"Content-Type: application/json"}),
            "POST / HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\n"
            "Content-Length: 2\r\n\r\n{}");
  EXPECT_EQ(request_text({"PUT", "/", ""}, "h", {}),
            "PUT / HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\n\r\n");
  EXPECT_EQ(request_text({"DELETE", "/1", ""}, "h", {"host: other"}),
            "DELETE /1 HTTP/1.1\r\nhost: other\r\n\r\n");
}

TEST(BenchRequests, HaveTheirPartsForHttp2) {
  const auto requests = read_requests("POST /a?b {}", {"http", "h:1"},
                                      {"X-A:  b ", "Connection: close", "Host: other"});
  ASSERT_TRUE(requests) << requests.error();
  const RequestParts& parts = requests->front().parts;
  EXPECT_EQ(parts.method, "POST");
  EXPECT_EQ(parts.target, "/a?b");
  EXPECT_EQ(parts.authority, "other");
  EXPECT_EQ(parts.body, "{}");
  const std::vector<std::pair<std::string, std::string>> fields = {{"x-a", "b"},
                                                                   {"content-length", "2"}};
  EXPECT_EQ(parts.fields, fields);
}

TEST(BenchRequests, AreReadFromLines) {
  const auto requests =
      read_requests("# notes\nGET /\r\n\nPOST /notes {\"text\": \"a b\"}\nHEAD /x", kAsked, {});
  ASSERT_TRUE(requests) << requests.error();
  ASSERT_EQ(requests->size(), 3U);
  EXPECT_EQ((*requests)[0].text, "GET / HTTP/1.1\r\nHost: h\r\n\r\n");
  EXPECT_TRUE((*requests)[1].text.ends_with("Content-Length: 15\r\n\r\n{\"text\": \"a b\"}"));
  EXPECT_EQ((*requests)[1].method, Method::post);
  EXPECT_EQ((*requests)[2].method, Method::head);
}

TEST(BenchRequests, AreReadFromObjectsToo) {
  const auto requests = read_requests(
      "GET /\n{\"path\": \"/a\", \"headers\": {\"x-a\": \"2\"}}\r\n"
      "{\"path\": \"/b\", \"body\": {\"text\": \"a\"}}",
      kAsked, {"X-A: 1", "X-B: 1"});
  ASSERT_TRUE(requests) << requests.error();
  ASSERT_EQ(requests->size(), 3U);
  EXPECT_EQ((*requests)[1].text, "GET /a HTTP/1.1\r\nHost: h\r\nX-B: 1\r\nx-a: 2\r\n\r\n");
  EXPECT_EQ((*requests)[2].text,
            "POST /b HTTP/1.1\r\nHost: h\r\nX-A: 1\r\nX-B: 1\r\n"
            "Content-Type: application/json\r\nContent-Length: 12\r\n\r\n{\"text\":\"a\"}");
  EXPECT_EQ((*requests)[2].parts.target, "/b");
}

TEST(BenchRequests, AreTheirConnectionsLastWhereTheySaySo) {
  for (const auto& [field, is_last] :
       std::vector<std::pair<std::string, bool>>{{"Connection: close", true},
                                                 {"connection:\tClose ", true},
                                                 {"Connection: keep-alive", false},
                                                 {"X-Connection: close", false}}) {
    const auto requests = read_requests("GET /", kAsked, {field});
    ASSERT_TRUE(requests) << requests.error();
    EXPECT_EQ(requests->front().is_last, is_last) << field;
  }
}

TEST(BenchRequests, TellTheLineThatIsWrong) {
  const std::vector<std::pair<std::string_view, std::string_view>> bad = {
      {"", "no request"},
      {"# only this\n", "no request"},
      {"GET", "line 1: '' is not a valid request target"},
      {"GET /\nG(T /", "line 2: 'G(T' is not a supported method"},
      {" GET /", "line 1: '' is not a supported method"},
      {"CONNECT /", "is not a supported method"},
      {"GET notes", "'notes' is not a valid request target"},
      {"GET  /", "'' is not a valid request target"},
      {"GET /a\x01", "is not a valid request target"},
      {"GET /\xC3\xA4", "is not a valid request target"},
      {"GET /\n{\"path\": \"x\"}", "line 2: key \"path\": 'x' is not a valid request target"},
      {"{\"path\": \"/\"", "line 1: "},
      {"[]", "line 1: '[]' is not a supported method"},
  };
  for (const auto& [text, why] : bad) {
    const auto requests = read_requests(text, kAsked, {});
    ASSERT_FALSE(requests) << text;
    EXPECT_NE(requests.error().find(why), std::string::npos) << requests.error();
  }
}

TEST(BenchRequests, OneHasTheMethodThatItsBodyAsksFor) {
  Options options;
  EXPECT_EQ((*make_requests(options, kAsked, "/x"))[0].method, Method::get);
  options.body = "";
  EXPECT_EQ((*make_requests(options, kAsked, "/x"))[0].method, Method::post);
  options.method = "PUT";
  EXPECT_EQ((*make_requests(options, kAsked, "/x"))[0].text,
            "PUT /x HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\n\r\n");
}

TEST(BenchRequests, HaveABodyOfAsManyBytesAsAreAskedFor) {
  Options options;
  options.body_bytes = 3;
  EXPECT_EQ((*make_requests(options, kAsked, "/x"))[0].text,
            "POST /x HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\nabc");
}

TEST(BenchRequests, OfAWebSocketAreAMessage) {
  Options options;
  options.version = Version::websocket;
  EXPECT_EQ((*make_requests(options, kAsked, "/x"))[0].parts.body,
            "abcdefghijklmnopqrstuvwxyzabcdef");
  options.body_bytes = 3;
  EXPECT_EQ((*make_requests(options, kAsked, "/x"))[0].parts.body, "abc");
  options.body_bytes = 0;
  options.body = "";
  EXPECT_EQ((*make_requests(options, kAsked, "/x"))[0].parts.body, "");
  options.body = "\xFF";
  EXPECT_NE(make_requests(options, kAsked, "/x").error().find("--binary"), std::string::npos);
  options.message = ws::MessageType::binary;
  EXPECT_EQ((*make_requests(options, kAsked, "/x"))[0].parts.body, "\xFF");
  options.fields = {"Origin: http://a"};
  EXPECT_TRUE(make_requests(options, kAsked, "/x"));
  options.fields = {"sec-websocket-KEY: x"};
  EXPECT_FALSE(make_requests(options, kAsked, "/x"));
}

TEST(BenchRequests, NameTheFileThatCannotBeRead) {
  Options options;
  options.requests_file = "/no/such/file";
  EXPECT_EQ(make_requests(options, kAsked, "/").error(),
            "cannot read /no/such/file: No such file or directory");
}

}  // namespace
}  // namespace eider::bench
