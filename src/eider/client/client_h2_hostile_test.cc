// Hostile or broken HTTP/2 servers: the client reports an error in time, and does not affect other
// calls if the connection can continue.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "eider/core/base/buffer.h"
#include "eider/core/compress/compressor.h"
#include "tests/support/h2_client_line.h"

namespace eider {
namespace {

using namespace std::chrono_literals;
using namespace testing;

ClientOptions once() {
  ClientOptions options;
  options.retries_max = 0;
  return options;
}

std::string after(std::string_view bytes, const ClientOptions& options = once()) {
  H2Line line(options);
  const SentRequest& asked = line.get();
  line.say(greeting() + std::string(bytes));
  return asked.text();
}

std::string after_and_end(std::string_view bytes) {
  H2Line line(once());
  const SentRequest& asked = line.get();
  line.say(greeting() + std::string(bytes));
  line.end();
  return asked.text();
}

TEST(ClientAgainstAHostileH2Server, takes_no_nonsense_for_a_response) {
  for (const std::string& nonsense :
       {reply(1, 0, "99"), reply(1, 0, "101"), reply(1, 0, "200", literal("A", "b")),
        reply(1, 0, "200", literal("connection", "close")),
        reply(1, 0, "200", literal("content-length", "1") + literal("content-length", "1")),
        h2_response(1, "four", literal("content-length", "5")),
        h2_response(1, "sixsix", literal("content-length", "5")),
        frame(Type::headers, kEndHeaders, 1, literal("a", "b"))}) {
    H2Line line(once());
    const SentRequest& asked = line.get();
    const SentRequest& other = line.get();
    line.say(greeting() + nonsense + h2_response(3, "other"));
    EXPECT_EQ(asked.text(), "bad_response") << nonsense;
    EXPECT_EQ(other.text(), "200 other") << nonsense;
    EXPECT_TRUE(H2Line::has(line.frames(), Type::rst_stream, 1)) << nonsense;
  }
}

TEST(ClientAgainstAHostileH2Server, ends_a_connection_that_breaks_the_protocol_and_tells_all) {
  for (const std::string& wrong :
       {frame(Type::push_promise, kEndHeaders, 1, word(2) + h2::test::get_block()), reply(2),
        frame(Type::data, 0, 0, "x"), frame(Type::ping, 0, 0, "short"),
        frame(Type::headers, kEndHeaders, 1, "\xff\xff\xff\xff"),
        frame(Type::window_update, 0, 0, word(0)), frame(Type::window_update, 0, 0, word(~0U >> 1)),
        std::string("\xff\xff\xff\0\0\0\0\0\1", 9), frame(Type::settings, 1, 0, "xxxxxx")}) {
    H2Line line(once());
    const SentRequest& asked = line.get();
    const SentRequest& other = line.get();
    line.say(greeting() + wrong);
    EXPECT_EQ(asked.text(), "bad_response") << static_cast<int>(wrong[3]);
    EXPECT_EQ(other.text(), "bad_response") << static_cast<int>(wrong[3]);
    EXPECT_TRUE(line.peers[0].is_closed());
    EXPECT_TRUE(H2Line::has(line.frames(), Type::goaway, 0)) << static_cast<int>(wrong[3]);
  }
}

TEST(ClientAgainstAHostileH2Server, does_not_take_http_1_for_http_2) {
  H2Line line(once());
  const SentRequest& asked = line.get();
  line.say("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n");
  EXPECT_EQ(asked.text(), "bad_response");
  EXPECT_TRUE(asked.reply->error().text.contains("HTTP/2"));
}

TEST(ClientAgainstAHostileH2Server, bounds_heads_and_interim_responses) {
  EXPECT_EQ(after(reply(1, 0, "200", literal("a", std::string(120, 'x')))), "nothing yet");
  ClientOptions options = once();
  options.head_bytes_max = 1000;
  std::string fields;
  for (int count = 0; count < 40; ++count) {
    fields += literal("x", "y");
  }
  EXPECT_EQ(after(reply(1, 0, "200", fields), options), "too_large");
  options = once();
  options.headers_max = 30;
  EXPECT_EQ(after(reply(1, 0, "200", fields), options), "too_large");
  std::string interims;
  for (int count = 0; count < 1100; ++count) {
    interims += reply(1, 0, "103");
  }
  EXPECT_EQ(after(interims), "bad_response");
}

TEST(ClientAgainstAHostileH2Server, bounds_the_content_whatever_it_says_of_its_length) {
  ClientOptions options = once();
  options.body_bytes_max = 1000;
  EXPECT_EQ(after(reply(1, 0, "200", literal("content-length", "1001")), options), "too_large");
  EXPECT_EQ(after(h2_response(1, std::string(1000, 'x')), options).size(), 1004U);
  EXPECT_EQ(after(h2_response(1, std::string(1001, 'x')), options), "too_large");
}

TEST(ClientAgainstAHostileH2Server, undoes_compression_within_bounds) {
  Buffer out;
  Compressor compressor(ContentCoding::gzip);
  compressor.write(std::string(50'000'000, 'a'), out);
  compressor.finish(out);
  std::string response = reply(1, 0, "200", literal("content-encoding", "gzip"));
  for (std::string_view rest = out.view(); !rest.empty();) {
    const std::string_view piece = rest.substr(0, 16384);
    rest.remove_prefix(piece.size());
    response += frame(Type::data, rest.empty() ? kEndStream : 0, 1, piece);
  }
  EXPECT_EQ(after(response), "too_large");
  EXPECT_EQ(after(h2_response(1, "hello", literal("content-encoding", "gzip"))), "bad_coding");
}

TEST(ClientAgainstAHostileH2Server, notices_what_is_cut_short) {
  EXPECT_EQ(after_and_end(""), "connection_lost");
  EXPECT_EQ(after_and_end(reply(1, 0)), "connection_lost");
  EXPECT_EQ(after_and_end(reply(1, 0, "200", literal("content-length", "5")) +
                          frame(Type::data, 0, 1, "hell")),
            "connection_lost");
  EXPECT_EQ(after(reply(1, 0) + frame(Type::data, 0, 1, "half") + testing::reset(1, 0)),
            "connection_lost");
  EXPECT_EQ(after(reply(1, 0) + frame(Type::data, 0, 1, "half") + goaway(1, 2)), "nothing yet");
}

TEST(ClientAgainstAHostileH2Server, ends_floods) {
  for (const std::string& cheap : {frame(Type::ping, 0, 0, "12345678"), frame(Type::settings, 0, 0),
                                   frame(Type::data, 0, 1), testing::reset(1, 8)}) {
    H2Line line(once());
    line.get();
    line.say(greeting() + reply(1, 0));
    int count = 0;
    while (!line.peers[0].is_closed() && count < 3000) {
      line.say(cheap);
      ++count;
    }
    EXPECT_LT(count, 1200) << static_cast<int>(cheap[3]);
  }
}

TEST(ClientAgainstAHostileH2Server, does_not_ask_for_ever_who_refuses_everything) {
  H2Line line;
  const SentRequest& asked = line.get();
  line.say(greeting() + testing::reset(1, 7));
  for (std::uint32_t stream = 3; stream < 40; stream += 2) {
    line.kernel.advance(1s);
    line.say(testing::reset(stream, 7));
  }
  EXPECT_EQ(asked.text(), "connection_lost");
  EXPECT_EQ(line.requests().size(), 4U) << "once for free, and twice";
}

TEST(ClientAgainstAHostileH2Server, waits_no_longer_than_it_was_told) {
  H2Line line(once());
  const SentRequest& silent = line.get();
  line.kernel.advance(29900ms);
  EXPECT_EQ(silent.text(), "nothing yet");
  line.kernel.advance(200ms);
  EXPECT_EQ(silent.text(), "timed_out");
  EXPECT_TRUE(line.peers[0].is_closed()) << "nothing was ever heard from it";
}

TEST(ClientAgainstAHostileH2Server, gives_no_response_to_a_call_that_did_not_ask_for_it) {
  H2Line line(once());
  const SentRequest& first = line.get();
  line.say(greeting() + h2_response(1, "first") + frame(Type::data, kEndStream, 1, "more"));
  EXPECT_EQ(first.text(), "200 first");
  const SentRequest& second = line.get();
  line.say(h2_response(1, "planted"), line.peers.size() - 1);
  EXPECT_NE(second.text(), "200 planted");
}

}  // namespace
}  // namespace eider
