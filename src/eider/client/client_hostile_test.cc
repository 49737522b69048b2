// Hostile, broken or slow servers: the client reports an error in time, and nothing else.
#include <gtest/gtest.h>

#include <string>

#include "eider/client/test_client_line.h"
#include "eider/core/base/buffer.h"
#include "eider/core/compress/compressor.h"

namespace eider {
namespace {

using namespace std::string_view_literals;

using namespace std::chrono_literals;
using testing::ClientLine;
using testing::response;
using testing::SentRequest;

ClientOptions without_retries() {
  ClientOptions options;
  options.retries_max = 0;
  return options;
}

std::string told_after(std::string_view bytes, const ClientOptions& options = without_retries()) {
  ClientLine line(options);
  const SentRequest& asked = line.get();
  line.say(bytes);
  return asked.text();
}

std::string after_the_end(std::string_view bytes) {
  ClientLine line(without_retries());
  const SentRequest& asked = line.get();
  line.say(bytes);
  line.end();
  return asked.text();
}

TEST(ClientAgainstAHostileServer, bounds_the_head) {
  EXPECT_EQ(told_after("HTTP/1.1 200 OK\r\nA: " + std::string(140000, 'x')), "too_large");
  std::string many = "HTTP/1.1 200 OK\r\n";
  for (int index = 0; index < 1001; ++index) {
    many.append("A: b\r\n");
  }
  EXPECT_EQ(told_after(many), "too_large");
}

TEST(ClientAgainstAHostileServer, bounds_interim_responses) {
  std::string many;
  for (int index = 0; index < 1100; ++index) {
    many.append("HTTP/1.1 102 Processing\r\n\r\n");
  }
  EXPECT_EQ(told_after(many), "bad_response");
  many.clear();
  for (int index = 0; index < 100; ++index) {
    many.append("HTTP/1.1 103 -\r\nLink: " + std::string(2000, 'x') + "\r\n\r\n");
  }
  EXPECT_EQ(told_after(many), "bad_response");
  EXPECT_EQ(told_after("HTTP/1.1 101 Switching\r\nUpgrade: x\r\n\r\n"), "bad_response");
}

TEST(ClientAgainstAHostileServer, takes_no_nonsense_for_a_response) {
  for (const std::string_view nonsense :
       {"<html>", "\r\n", "HTTP/2.0 200 OK\r\n\r\n", "HTTP/1.1 20\r\n\r\n", "HTTP/1.1 200 OK\n\n",
        "HTTP/1.1 200 OK\r\nA B: c\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nab\r\n"}) {
    EXPECT_EQ(told_after(nonsense), "bad_response") << nonsense;
  }
}

TEST(ClientAgainstAHostileServer, bounds_chunk_extensions_and_trailers) {
  const std::string head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
  EXPECT_EQ(told_after(head + "5;" + std::string(100000, 'a')), "too_large");
  EXPECT_EQ(told_after(head + "0\r\nA: " + std::string(100000, 'a')), "too_large");
}

TEST(ClientAgainstAHostileServer, bounds_the_content_whatever_it_says_of_its_length) {
  ClientOptions options = without_retries();
  options.body_bytes_max = 1000;
  const std::string chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
  EXPECT_EQ(told_after("HTTP/1.1 200 OK\r\nContent-Length: 1001\r\n\r\n", options), "too_large");
  EXPECT_EQ(told_after(response(std::string(1000, 'x')), options).size(), 1004U);
  EXPECT_EQ(told_after(chunked + "3e9\r\n" + std::string(1001, 'x'), options), "too_large");
  EXPECT_EQ(told_after("HTTP/1.1 200 OK\r\n\r\n" + std::string(1001, 'x'), options), "too_large");
}

TEST(ClientAgainstAHostileServer, notices_what_is_cut_short) {
  EXPECT_EQ(after_the_end(""), "connection_lost");
  EXPECT_EQ(after_the_end("HTTP/1.1 200 OK\r\n"), "connection_lost");
  EXPECT_EQ(after_the_end("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhell"), "connection_lost");
  EXPECT_EQ(after_the_end("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n"),
            "connection_lost");
}

TEST(ClientAgainstAHostileServer, does_not_take_a_reset_for_the_end_of_content) {
  ClientLine line(without_retries());
  const SentRequest& asked = line.get();
  line.say("HTTP/1.1 200 OK\r\n\r\nhalf of");
  line.peers[0].reset();
  line.kernel.run_until_idle();
  EXPECT_EQ(asked.text(), "connection_lost");
}

std::string compressed(std::string_view content) {
  Buffer out;
  Compressor compressor(ContentCoding::gzip);
  compressor.write(content, out);
  compressor.finish(out);
  return std::string(out.view());
}

std::string zipped_response(std::string_view content) {
  return response(compressed(content), "Content-Encoding: gzip\r\n");
}

TEST(ClientAgainstAHostileServer, undoes_compression_within_bounds) {
  EXPECT_EQ(told_after(zipped_response("hello")), "200 hello");
  EXPECT_EQ(told_after(response("hello", "Content-Encoding: gzip\r\n")), "bad_coding");
  const std::string zipped = compressed("hello");
  EXPECT_EQ(told_after(response(zipped.substr(0, zipped.size() - 1), "Content-Encoding: gzip\r\n")),
            "bad_coding");
  EXPECT_EQ(told_after(response(zipped + "x", "Content-Encoding: gzip\r\n")), "bad_coding");
  EXPECT_EQ(told_after(zipped_response(std::string(50'000'000, 'a'))), "too_large");
}

TEST(ClientAgainstAnOddServer, undoes_all_content_codings_or_none) {
  const std::string text = "hello " + std::string(100'000, 'x');
  std::string packed = text;
  std::string codings;
  for (int layers = 1; layers <= 4; ++layers) {
    packed = compressed(packed);
    codings += layers == 1 ? "gzip" : ", gzip";
    EXPECT_EQ(told_after(response(packed, "Content-Encoding: " + codings + "\r\n")), "200 " + text);
  }
  const std::string twice = compressed(compressed("hello"));
  for (const char* fields : {"Content-Encoding: gzip\r\nContent-Encoding: gzip\r\n",
                             "content-encoding: ,GZIP\r\nX: y\r\nContent-Encoding: x-gzip\r\n"}) {
    EXPECT_EQ(told_after(response(twice, fields)), "200 hello") << fields;
  }
  for (const std::string& wrong :
       {response(compressed(packed), "Content-Encoding: gzip, gzip, gzip, gzip, gzip\r\n"),
        response(compressed("hello"), "Content-Encoding: gzip, gzip\r\n"),
        response(twice, "Content-Encoding: deflate, gzip\r\n"),
        response(twice.substr(0, twice.size() - 9), "Content-Encoding: gzip, gzip\r\n"),
        response(compressed(compressed("hello").substr(0, 20)),
                 "Content-Encoding: gzip, gzip\r\n")}) {
    EXPECT_EQ(told_after(wrong), "bad_coding");
  }
  EXPECT_EQ(told_after(response(compressed(compressed(std::string(50'000'000, 'a'))),
                                "Content-Encoding: gzip, gzip\r\n")),
            "too_large");
  for (const char* fields : {"Content-Encoding: gzip, identity\r\n",
                             "Content-Encoding: identity\r\nContent-Encoding: x-gzip\r\n",
                             "Content-Encoding: , GZIP ,\r\n"}) {
    EXPECT_EQ(told_after(response(compressed("hello"), fields)), "200 hello") << fields;
  }
}

TEST(ClientAgainstAnOddServer, decodes_a_body_or_names_the_coding_that_it_does_not_know) {
  for (const char* fields :
       {"Content-Encoding: aws-chunked\r\n", "Content-Encoding: none\r\n",
        "Content-Encoding: UTF-8\r\n", "Content-Encoding: Identity\r\n", "Content-Encoding:\r\n",
        "Content-Encoding: ,\r\nContent-Encoding: AWS-Chunked\r\n"}) {
    EXPECT_EQ(told_after(response("hello", fields)), "200 hello") << fields;
  }
  for (const char* fields :
       {"Content-Encoding: gzip,aws-chunked\r\n", "Content-Encoding: aws-chunked, gzip\r\n",
        "Content-Encoding: gzip;q=1\r\n", "Content-Encoding: x-gzip ; a=b\r\n",
        "Content-Encoding: UTF-8\r\nContent-Encoding: gzip\r\n"}) {
    EXPECT_EQ(told_after(response(compressed("hello"), fields)), "200 hello") << fields;
    EXPECT_EQ(told_after(response("hello", fields)), "bad_coding") << fields;
  }
  for (const char* fields :
       {"Content-Encoding: compress\r\n", "Content-Encoding: gzip, exi\r\n",
        "Content-Encoding: exi;q=1, gzip\r\n", "Content-Encoding: \"gzip\"\r\n",
        "Content-Encoding: gzip\r\nContent-Encoding: aes128gcm\r\n"}) {
    EXPECT_EQ(told_after(response(compressed("hello"), fields)), "bad_coding") << fields;
    EXPECT_EQ(told_after("HTTP/1.1 304 -\r\n" + std::string(fields) + "\r\n"), "304 ") << fields;
  }
  ClientLine line(without_retries());
  const SentRequest& asked = line.get();
  line.say(response("hello", "Content-Encoding: gzip, x/y\r\n"));
  EXPECT_TRUE(asked.reply->error().text.contains("content coding \"x/y\"")) << asked.text();
  EXPECT_TRUE(asked.reply->error().text.contains("decompresses = false")) << asked.text();
}

TEST(ClientAgainstAnOddServer, passes_any_coding_on_if_it_does_not_decompress) {
  ClientOptions options = without_retries();
  options.decompresses = false;
  EXPECT_EQ(told_after(response("hello", "Content-Encoding: gzip, exi\r\n"), options), "200 hello");
}

TEST(ClientAgainstAnOddServer, returns_a_part_of_an_encoded_body_as_it_was_sent) {
  const auto with_range = [](ClientRequest& request) { request.header("Range", "bytes=0-7"); };
  const std::string part = compressed("hello").substr(0, 8);
  ClientLine line(without_retries());
  const SentRequest& asked = line.ask(Method::get, "http://a/", with_range);
  EXPECT_TRUE(line.sent().contains("\r\nAccept-Encoding: identity\r\n"));
  line.say(response(part, "Content-Encoding: gzip\r\nContent-Range: bytes 0-7/25\r\n", "206 -"));
  EXPECT_EQ(asked.text(), "206 " + part);
  // A server that ignores the range sends the whole body.
  const SentRequest& whole = line.ask(Method::get, "http://a/", with_range);
  line.say(response(compressed("hello"), "Content-Encoding: gzip\r\n"));
  EXPECT_EQ(whole.text(), "200 hello");
}

TEST(ClientAgainstAnOddServer, passes_over_line_ends_after_compressed_content) {
  const std::string zipped = compressed("hello");
  for (const std::string_view end : {"\r\n"sv, "\n"sv, "\0\0"sv, " "sv}) {
    EXPECT_EQ(told_after(response(zipped + std::string(end), "Content-Encoding: gzip\r\n")),
              "200 hello");
  }
}

TEST(ClientAgainstAnOddServer, reads_what_other_clients_read) {
  EXPECT_EQ(told_after("HTTP/1.1 200\r\nContent-Length: 2\r\n\r\nok"), "200 ok");
  EXPECT_EQ(told_after(response("ok", "Content-Length: 2\r\n")), "200 ok");
  EXPECT_EQ(told_after("HTTP/1.1 200 OK\r\nContent-Length: 2, 2\r\n\r\nok"), "200 ok");
  EXPECT_EQ(told_after(response("ok", {}, "999 Denied")), "999 ok");
  EXPECT_EQ(told_after("HTTP/1.1 204 No Content\r\nContent-Length: 2\r\n\r\nok"), "204 ");
  EXPECT_EQ(told_after("HTTP/1.1 204 No\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"), "204 ");
  EXPECT_EQ(told_after("HTTP/1.1 100 -\r\nContent-Length: 0\r\n\r\n" + response("ok")), "200 ok");
  EXPECT_EQ(told_after("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
                       "2  \r\nok\r\n0\t\r\n\r\n"),
            "200 ok");
  EXPECT_EQ(told_after("HTTP/1.1 200 OK\r\nConnection: \"close\"\r\nContent-Length : 2\r\n\r\nok"),
            "200 ok");
  EXPECT_EQ(told_after(response("ok", "Transfer-Encoding: identity\r\n")), "200 ok");
  EXPECT_EQ(after_the_end("HTTP/1.1 200 OK\r\nTransfer-Encoding: identity\r\n\r\nok"), "200 ok");
  EXPECT_EQ(told_after("HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
                       "2\r\nok\r\n0\r\nX \t: y\r\n\r\n"),
            "200 ok");
  std::string many;
  for (int i = 0; i < 300; ++i) {
    many += i % 2 == 0 ? "HTTP/1.1 102 -\r\n\r\n" : "HTTP/1.1 103 -\r\nLink: </a>\r\n\r\n";
  }
  EXPECT_EQ(told_after(many + response("ok")), "200 ok");
  many.clear();
  for (int i = 0; i < 900; ++i) {
    many += "X-" + std::to_string(i) + ": " + std::string(100, 'x') + "\r\n";
  }
  EXPECT_EQ(told_after(response("ok", many)), "200 ok");
}

TEST(ClientAgainstAnOddServer, does_not_use_a_connection_again_that_may_carry_more) {
  for (const char* reply : {"HTTP/1.1 204 -\r\nContent-Length: 2\r\n\r\n",
                            "HTTP/1.1 204 -\r\nTransfer-Encoding: chunked\r\n\r\n",
                            "HTTP/1.1 200 -\r\nTransfer-Encoding: identity\r\n"
                            "Content-Length: 0\r\n\r\n",
                            "HTTP/1.0 200 -\r\nConnection: keep-alive\r\n"
                            "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n"}) {
    ClientLine line(without_retries());
    line.get();
    line.say(reply);
    EXPECT_TRUE(line.peers[0].is_closed()) << reply;
  }
}

TEST(ClientAgainstAHostileServer, does_not_wait_longer_than_it_was_told) {
  ClientLine line(without_retries());
  const SentRequest& silent = line.get();
  line.kernel.advance(29900ms);
  EXPECT_EQ(silent.text(), "nothing yet");
  line.kernel.advance(200ms);
  EXPECT_EQ(silent.text(), "timed_out");
  EXPECT_TRUE(line.peers[0].is_closed());

  const SentRequest& dripping =
      line.ask(Method::get, "http://a/", [](ClientRequest& request) { request.timeout(10s); });
  line.say("HTTP/1.1 200 OK\r\n\r\n", 1);
  for (int second = 0; second < 9; ++second) {
    line.kernel.advance(1s);
    line.say("x", 1);
    EXPECT_EQ(dripping.text(), "nothing yet");
  }
  line.kernel.advance(1100ms);
  EXPECT_EQ(dripping.text(), "timed_out");
}

TEST(ClientAgainstAHostileServer, gives_no_response_that_was_planted_to_the_next_request) {
  ClientLine line(without_retries());
  const SentRequest& first = line.get();
  line.say(response("first") + response("planted"));
  EXPECT_EQ(first.text(), "200 first");
  EXPECT_TRUE(line.peers[0].is_closed()) << "bytes behind an answer end the connection";
  const SentRequest& second = line.get();
  line.say(response("second"), 1);
  EXPECT_EQ(second.text(), "200 second");
}

TEST(ClientAgainstAHostileServer, does_not_use_a_connection_that_spoke_while_it_was_idle) {
  ClientLine line(without_retries());
  line.get();
  line.say(response("first"));
  line.say(response("planted"));
  EXPECT_TRUE(line.peers[0].is_closed());
  const SentRequest& second = line.get();
  ASSERT_EQ(line.peers.size(), 2U);
  line.say(response("second"), 1);
  EXPECT_EQ(second.text(), "200 second");
}

TEST(ClientAgainstAHostileServer, lets_no_redirect_smuggle_lines_into_a_request) {
  ClientLine line(without_retries());
  const SentRequest& asked = line.get();
  line.say(response("", "Location: http://a/\r\n X: y\r\n", "302 Found"));
  EXPECT_EQ(asked.text(), "bad_response") << "a folded line";
  line.get();
  line.say(response("", "Location: /%0d%0aX:%20y z\r\n", "302 Found"), 1);
  EXPECT_TRUE(line.sent(1).contains("GET /%0d%0aX:%20y%20z HTTP/1.1\r\n"));
}

}  // namespace
}  // namespace eider
