// Bodies that are streamed: sent while they are produced, and read while they arrive.
#include <gtest/gtest.h>

#include <optional>
#include <stdexcept>
#include <string>

#include "eider/client/test_client_line.h"
#include "eider/core/base/buffer.h"
#include "eider/core/compress/compressor.h"
#include "eider/io/runtime/sync.h"

namespace eider {
namespace {

using namespace std::chrono_literals;
using testing::ClientLine;
using testing::response;
using testing::SentRequest;

/// Returns these pieces, and then the end.
ContentProducer pieces_of(std::vector<std::string> pieces) {
  return [pieces = std::move(pieces), at = std::size_t{0}]() mutable -> Task<std::string> {
    struct Give {
      static Task<std::string> piece(std::string what) { co_return what; }
    };
    return Give::piece(at < pieces.size() ? pieces[at++] : std::string());
  };
}

ClientLine::Prepare producing(std::vector<std::string> pieces) {
  return [pieces](ClientRequest& request) { request.body_from(pieces_of(pieces), "text/plain"); };
}

constexpr std::string_view kConsent = "HTTP/1.1 100 Continue\r\n\r\n";

TEST(ClientContent, waits_for_consent_and_is_chunked) {
  ClientLine line;
  const SentRequest& asked = line.ask(Method::post, "http://a/", producing({"abc", "de"}));
  const std::string head = line.sent();
  EXPECT_TRUE(head.contains("Transfer-Encoding: chunked\r\nExpect: 100-continue\r\n\r\n"));
  EXPECT_TRUE(head.ends_with("\r\n\r\n"));
  line.say(kConsent);
  EXPECT_EQ(line.sent(), "3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n");
  line.say(response("1"));
  EXPECT_EQ(asked.text(), "200 1");
  EXPECT_FALSE(line.peers[0].is_closed());
}

TEST(ClientContent, does_not_wait_for_ever_for_consent) {
  ClientLine line;
  line.ask(Method::post, "http://a/", producing({"abc"}));
  static_cast<void>(line.sent());
  line.kernel.advance(900ms);
  EXPECT_EQ(line.sent(), "");
  line.kernel.advance(200ms);
  EXPECT_EQ(line.sent(), "3\r\nabc\r\n0\r\n\r\n");
}

TEST(ClientContent, is_not_sent_when_the_response_comes_first_and_the_connection_is_not_kept) {
  ClientLine line;
  const SentRequest& asked = line.ask(Method::post, "http://a/", producing({"abc"}));
  static_cast<void>(line.sent());
  line.say(response("no", {}, "403 Forbidden"));
  EXPECT_EQ(asked.text(), "403 no");
  EXPECT_EQ(line.sent(), "");
  EXPECT_TRUE(line.peers[0].is_closed());
}

TEST(ClientContent, is_sent_without_asking_to_who_declines_the_question) {
  ClientLine line;
  const SentRequest& asked = line.ask(Method::put, "http://a/", [](ClientRequest& request) {
    request.body(std::string(2 * 1024 * 1024, 'x'), "text/plain");
  });
  EXPECT_TRUE(line.sent().contains("Expect: 100-continue"));
  line.say(response("", {}, "417 No"));
  const std::string again = line.sent(1);
  EXPECT_FALSE(again.contains("Expect"));
  EXPECT_TRUE(again.ends_with("xxx"));
  line.say(response("1"), 1);
  EXPECT_EQ(asked.text(), "200 1");
}

TEST(ClientContent, goes_no_faster_than_the_server_takes_it) {
  ClientLine line;
  int made = 0;
  line.ask(Method::post, "http://a/", [&](ClientRequest& request) {
    struct Give {
      static Task<std::string> piece(int& made) {
        ++made;
        co_return std::string(10000, 'x');
      }
    };
    request.body_from([&made] { return Give::piece(made); }, "text/plain");
  });
  line.peers[0].set_window(50000);
  line.say(kConsent);
  EXPECT_LT(made, 10);
  const int made_before = made;
  static_cast<void>(line.sent());
  line.kernel.run_until_idle();
  EXPECT_GT(made, made_before);
  EXPECT_LT(made, 20);
}

TEST(ClientContent, may_take_longer_than_a_response) {
  ClientLine line;
  line.get();
  line.say(response("0"));
  static_cast<void>(line.sent());
  line.peers[0].set_window(10000);
  const SentRequest& asked = line.ask(Method::post, "http://a/", [](ClientRequest& request) {
    request.body(std::string(900000, 'x'), "text/plain").timeout(300s);
  });
  for (int times = 0; times < 100; ++times) {
    line.kernel.advance(1s);
    static_cast<void>(line.sent());
    line.kernel.run_until_idle();
  }
  line.say(response("1"));
  EXPECT_EQ(asked.text(), "200 1");
  const SentRequest& stuck = line.ask(Method::post, "http://a/", [](ClientRequest& request) {
    request.body(std::string(900000, 'x'), "text/plain").timeout(50s);
  });
  line.kernel.advance(49s);
  EXPECT_EQ(stuck.text(), "nothing yet");
  line.kernel.advance(2s);
  EXPECT_EQ(stuck.text(), "timed_out");
}

TEST(ClientContent, has_the_length_that_was_told_or_fails) {
  const auto text = [](std::uint64_t bytes) {
    ClientLine line;
    const SentRequest& asked = line.ask(Method::post, "http://a/", [=](ClientRequest& request) {
      request.body_from(pieces_of({"abc", "de"}), "text/plain", bytes);
    });
    line.say(kConsent);
    const bool is_right = line.sent().ends_with("\r\n\r\nabcde");
    line.say(response(is_right ? "right" : "wrong"));
    return asked.text();
  };
  EXPECT_EQ(text(5), "200 right");
  EXPECT_EQ(text(4), "bad_request");
  EXPECT_EQ(text(6), "bad_request");
}

TEST(ClientContent, that_throws_ends_the_request) {
  ClientLine line;
  SentRequest& asked = line.ask(Method::post, "http://a/", [](ClientRequest& request) {
    struct Give {
      static Task<std::string> piece() {
        throw std::runtime_error("no more");
        co_return std::string();
      }
    };
    request.body_from([] { return Give::piece(); }, "text/plain");
  });
  line.say(kConsent);
  ASSERT_TRUE(asked.task.is_done());
  EXPECT_THROW(asked.task.take(), std::runtime_error);
  EXPECT_TRUE(line.peers[0].is_closed());
}

// Reading in pieces.

struct StreamedCall {
  std::optional<ClientRequest::StreamedReply> reply;
  std::string taken;
  std::string end = "not yet";
  AsyncEvent go;
};

Task<> stream(ClientLine& line, StreamedCall& to, bool is_patient) {
  auto request = line.client.request(Method::get, "http://a/");
  to.reply.emplace(co_await request.send_streamed());
  if (!*to.reply) {
    to.end = to_text(to.reply->error().fault);
    co_return;
  }
  for (;;) {
    if (is_patient) {
      co_await to.go.wait();
    }
    const auto piece = co_await (*to.reply)->next();
    if (!piece || piece->empty()) {
      to.end = piece ? "end" : to_text(piece.error().fault);
      break;
    }
    to.taken.append(*piece);
  }
}

/// A request whose response is read in pieces, as fast as it arrives, unless it waits for `to.go`.
class StreamLine : public ClientLine {
 public:
  explicit StreamLine(bool is_patient = false, ClientOptions options = {})
      : ClientLine(std::move(options)), task_(stream(*this, to, is_patient)) {
    loop.call([this] { task_.start(); });
  }
  void cancel() {
    task_ = Task<>();
    to.reply.reset();
    kernel.run_until_idle();
  }
  StreamedCall to;

 private:
  Task<> task_;
};

constexpr std::string_view kChunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";

TEST(ClientStream, gives_the_head_first_and_then_what_comes) {
  StreamLine line;
  line.say(kChunked);
  ASSERT_TRUE(line.to.reply && *line.to.reply);
  EXPECT_EQ((*line.to.reply)->status(), 200);
  line.say("3\r\nabc\r\n");
  EXPECT_EQ(line.to.taken, "abc");
  line.say("2\r\nde\r\n0\r\nA: b\r\n\r\n");
  EXPECT_EQ(line.to.taken, "abcde");
  EXPECT_EQ(line.to.end, "end");
  EXPECT_EQ((*line.to.reply)->trailers().size(), 1U);
  line.get();
  EXPECT_EQ(line.peers.size(), 1U) << "the connection is free while the answer is kept";
}

TEST(ClientStream, slows_the_server_down_to_its_readers_pace) {
  StreamLine line(true);
  line.say(kChunked);
  for (int chunks = 0; chunks < 100; ++chunks) {
    line.say("2710\r\n" + std::string(10000, 'x') + "\r\n");
  }
  line.say("0\r\n\r\n");
  EXPECT_EQ(line.to.taken, "");
  line.to.go.set();
  line.loop.call([] {});
  EXPECT_EQ(line.to.taken.size(), 1000000U);
  EXPECT_EQ(line.to.end, "end");
}

TEST(ClientStream, tells_silence_loss_and_nonsense) {
  StreamLine silent;
  silent.say(kChunked);
  silent.kernel.advance(31s);
  EXPECT_EQ(silent.to.end, "timed_out");
  StreamLine lost;
  lost.say(std::string(kChunked) + "5\r\nhel");
  lost.end();
  EXPECT_EQ(lost.to.taken, "hel");
  EXPECT_EQ(lost.to.end, "connection_lost");
  StreamLine bad;
  bad.say(kChunked);
  bad.say("3\r\nabcdef");
  EXPECT_EQ(bad.to.taken, "abc");
  EXPECT_EQ(bad.to.end, "bad_response");
}

TEST(ClientStream, is_not_ended_by_a_reader_that_takes_its_time) {
  StreamLine line(true);
  line.say(std::string(kChunked) + "3\r\nabc\r\n");
  line.kernel.advance(120s);
  line.say("0\r\n\r\n");
  line.to.go.set();
  line.loop.call([] {});
  EXPECT_EQ(line.to.taken, "abc");
  EXPECT_EQ(line.to.end, "end");
}

TEST(ClientStream, closes_the_connection_when_it_is_dropped) {
  StreamLine line;
  line.say(std::string(kChunked) + "3\r\nabc\r\n");
  line.cancel();
  EXPECT_TRUE(line.peers[0].is_closed());
}

TEST(ClientStream, undoes_compression_piece_by_piece_within_bounds) {
  Buffer out;
  Compressor compressor(ContentCoding::gzip);
  std::string content;
  for (int number = 0; number < 100000; ++number) {
    content.append(std::to_string(number * 7919));
  }
  compressor.write(content, out);
  compressor.finish(out);
  StreamLine line;
  line.say(response(out.view(), "Content-Encoding: gzip\r\n"));
  EXPECT_EQ(line.to.end, "end");
  EXPECT_EQ(line.to.taken, content);
  ClientOptions options;
  options.decompression.bytes_max = 1000;
  StreamLine bounded(false, options);
  bounded.say(response(out.view(), "Content-Encoding: gzip\r\n"));
  EXPECT_EQ(bounded.to.end, "too_large");
  StreamLine cut;
  cut.say(response(out.view().substr(0, out.size() - 4), "Content-Encoding: gzip\r\n"));
  EXPECT_EQ(cut.to.end, "bad_coding");
}

TEST(ClientStream, undoes_several_codings_piece_by_piece) {
  const auto zipped = [](std::string_view content) {
    Buffer out;
    Compressor compressor(ContentCoding::gzip);
    compressor.write(content, out);
    compressor.finish(out);
    return std::string(out.view());
  };
  std::string content;
  for (int number = 0; number < 100000; ++number) {
    content.append(std::to_string(number * 7919));
  }
  const std::string twice = zipped(zipped(content));
  for (const std::size_t bytes : {std::size_t{7}, std::size_t{4096}, twice.size()}) {
    StreamLine line;
    const std::string whole = response(twice, "Content-Encoding: gzip, gzip\r\n");
    for (std::size_t at = 0; at < whole.size(); at += bytes) {
      line.say(std::string_view(whole).substr(at, bytes));
    }
    EXPECT_EQ(line.to.end, "end");
    EXPECT_EQ(line.to.taken, content);
  }
}

TEST(ClientStream, follows_redirects_first) {
  StreamLine line;
  line.say(response("elsewhere", "Location: http://b/\r\n", "302 -"));
  ASSERT_EQ(line.peers.size(), 2U);
  line.say(response("here"), 1);
  EXPECT_EQ(line.to.taken, "here");
}

}  // namespace
}  // namespace eider
