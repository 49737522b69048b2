#include "eider/client/client.h"

#include <gtest/gtest.h>

#include <string>

#include "eider/client/test_client_line.h"
#include "eider/protocols/http/multipart_form.h"

namespace eider {
namespace {

using namespace std::chrono_literals;
using testing::ClientLine;
using testing::response;
using testing::SentRequest;

struct Note {
  int id = 0;
  std::string title;
};

TEST(Client, asks_and_gives_the_response) {
  ClientLine line;
  SentRequest& asked = line.get("http://Example.com:8080/a%20b?c=d#e");
  EXPECT_EQ(line.sent(),
            "GET /a%20b?c=d HTTP/1.1\r\nHost: example.com:8080\r\nUser-Agent: eider\r\n"
            "Accept-Encoding: gzip, br, zstd\r\n\r\n");
  EXPECT_FALSE(asked.is_there());
  line.say("HTTP/1.1 200 OK\r\nX-A: b\r\nContent-Length: 5\r\n\r\nhello");
  ASSERT_TRUE(asked.is_response());
  EXPECT_EQ(asked.response().status(), 200);
  EXPECT_TRUE(asked.response().is_ok());
  EXPECT_EQ(asked.response().body(), "hello");
  EXPECT_EQ(asked.response().header("x-a"), "b");
  EXPECT_EQ(asked.response().header("x-b"), std::nullopt);
  EXPECT_EQ(asked.response().headers().size(), 2U);
  EXPECT_EQ(asked.response().url(), "http://example.com:8080/a%20b?c=d");
}

TEST(Client, reads_a_response_however_it_is_cut) {
  const std::string whole =
      "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Hints\r\nLink: a\r\n\r\n"
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: T\r\n\r\n"
      "3\r\nabc\r\n2\r\nde\r\n0\r\nT: u\r\n\r\n";
  for (std::size_t cut = 1; cut < whole.size(); ++cut) {
    ClientLine line;
    SentRequest& asked = line.get();
    line.say(whole.substr(0, cut));
    EXPECT_FALSE(asked.is_there()) << cut;
    line.say(whole.substr(cut));
    EXPECT_EQ(asked.text(), "200 abcde") << cut;
    ASSERT_EQ(asked.response().trailers().size(), 1U);
    EXPECT_EQ(asked.response().trailers()[0].value, "u");
  }
}

TEST(Client, reads_a_response_byte_by_byte) {
  ClientLine line;
  SentRequest& asked = line.get();
  for (const char byte : response("hello", "A: b\r\n")) {
    EXPECT_FALSE(asked.is_there());
    line.say({&byte, 1});
  }
  EXPECT_EQ(asked.text(), "200 hello");
}

TEST(Client, takes_everything_up_to_the_end_of_the_connection) {
  ClientLine line;
  SentRequest& asked = line.get();
  line.say("HTTP/1.0 200 OK\r\n\r\nall of ");
  line.say("it");
  EXPECT_FALSE(asked.is_there());
  line.end();
  EXPECT_EQ(asked.text(), "200 all of it");
  EXPECT_TRUE(line.peers[0].is_closed());
}

TEST(Client, knows_that_some_answers_have_no_content) {
  ClientLine line;
  SentRequest& head = line.ask(Method::head, "http://a/");
  line.say("HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n");
  EXPECT_EQ(head.text(), "200 ");
  SentRequest& none = line.get();
  line.say("HTTP/1.1 204 No Content\r\n\r\n");
  EXPECT_EQ(none.text(), "204 ");
  SentRequest& same = line.get();
  line.say("HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n");
  EXPECT_EQ(same.text(), "304 ");
  EXPECT_EQ(line.peers.size(), 1U) << "all over one connection";
}

TEST(Client, sends_json_and_reads_it) {
  ClientLine line;
  SentRequest& asked = line.ask(Method::post, "http://a/notes",
                                [](ClientRequest& request) { request.json(Note{7, "a\"b"}); });
  EXPECT_EQ(line.sent(),
            "POST /notes HTTP/1.1\r\nHost: a\r\nUser-Agent: eider\r\n"
            "Accept-Encoding: gzip, br, zstd\r\nContent-Type: application/json\r\n"
            "Content-Length: 23\r\n\r\n{\"id\":7,\"title\":\"a\\\"b\"}");
  line.say(response(R"({"id":8,"title":"c"})", {}, "201 Created"));
  const auto note = asked.response().json<Note>();
  ASSERT_TRUE(note.has_value());
  EXPECT_EQ(note->id, 8);
  EXPECT_EQ(note->title, "c");
  EXPECT_FALSE(asked.response().json<std::vector<int>>().has_value());
}

TEST(Client, sends_fields_credentials_queries_and_forms) {
  ClientLine line;
  line.ask(Method::put, "http://a/?x=1", [](ClientRequest& request) {
    request.header("user-agent", "me")
        .basic_auth("u", "p")
        .query("b c", "d&e")
        .form({{"f", "g h"}, {"i", "j&k"}});
  });
  EXPECT_EQ(line.sent(),
            "PUT /?x=1&b%20c=d%26e HTTP/1.1\r\nHost: a\r\nAccept-Encoding: gzip, br, zstd\r\n"
            "user-agent: me\r\nAuthorization: Basic dTpw\r\n"
            "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 15\r\n\r\n"
            "f=g%20h&i=j%26k");
}

TEST(Client, sends_multipart_forms) {
  MultipartForm form;
  form.add("a\"b", "c").add_file("d", "e.txt", "text/plain", "f\r\ng");
  EXPECT_EQ(form.to_text("x"),
            "--x\r\nContent-Disposition: form-data; name=\"a%22b\"\r\n\r\nc\r\n"
            "--x\r\nContent-Disposition: form-data; name=\"d\"; filename=\"e.txt\"\r\n"
            "Content-Type: text/plain\r\n\r\nf\r\ng\r\n--x--\r\n");
  EXPECT_FALSE(form.may_use("f\r\ng"));
  ClientLine line;
  line.ask(Method::post, "http://a/", [&](ClientRequest& request) { request.form(form); });
  const std::string sent = line.sent();
  EXPECT_NE(sent.find("Content-Type: multipart/form-data; boundary=eider-"), std::string::npos);
  EXPECT_NE(sent.find("f\r\ng\r\n--eider-"), std::string::npos);
}

TEST(Client, refuses_what_cannot_be_sent_before_anything_is) {
  ClientLine line;
  const auto text = [&](std::string url, const ClientLine::Prepare& prepare = nullptr) {
    return line.ask(Method::get, std::move(url), prepare).text();
  };
  for (const std::string_view url :
       {"", "a", "ftp://a/", "http://", "http:///b", "http://a:0/", "http://a:65536/",
        "http://u:p@a/", "http://a b/", "http://a/%zz", "http://a/\n", "http://[::1/"}) {
    EXPECT_EQ(text(std::string(url)), "bad_url") << url;
  }
  const auto with = [&](std::string_view name, std::string_view value) {
    return text("http://a/", [=](ClientRequest& request) { request.header(name, value); });
  };
  EXPECT_EQ(with("A b", "c"), "bad_request");
  EXPECT_EQ(with("A", "b\r\nC: d"), "bad_request");
  EXPECT_EQ(with("A", std::string_view("b\0", 2)), "bad_request");
  EXPECT_EQ(with("content-length", "5"), "bad_request");
  EXPECT_EQ(with("Transfer-Encoding", "chunked"), "bad_request");
  EXPECT_EQ(with("Host", "b"), "bad_request");
  EXPECT_EQ(line.ask(Method::connect, "http://a/").text(), "bad_request");
  EXPECT_TRUE(line.peers.empty());
}

TEST(Client, encodes_what_a_url_may_not_hold) {
  ClientLine line;
  line.get("http://a/\xC3\xA4 b");
  EXPECT_TRUE(line.sent().starts_with("GET /%C3%A4%20b HTTP/1.1\r\n"));
}

TEST(Client, closes_the_connection_of_a_task_that_is_destroyed) {
  ClientLine line;
  SentRequest& asked = line.get();
  line.say("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhel");
  asked.task = Task<>();
  line.kernel.run_until_idle();
  EXPECT_TRUE(line.peers[0].is_closed());
}

}  // namespace
}  // namespace eider
