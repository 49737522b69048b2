#include "answer_reader.h"

#include <gtest/gtest.h>

#include <optional>
#include <random>
#include <string>
#include <vector>

namespace load {
namespace {

constexpr std::string_view kPlain =
    "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 5\r\n\r\nHello";
constexpr std::string_view kChunked =
    "HTTP/1.1 200 OK\r\ntransfer-encoding:  chunked\r\n\r\n"
    "2\r\nHe\r\n3;name=value\r\nllo\r\n0\r\nX-Sum: 1\r\n\r\n";
constexpr std::string_view kEndless = "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nHello";

Expected hello() {
  return {200, "Hello", 5};
}

/// Reads all of `bytes` in pieces of that size, and the end when that is told.
ReadStep read_in_pieces(AnswerReader& reader, std::string_view bytes, std::size_t piece) {
  ReadStep step;
  while (!bytes.empty() && !step.is_whole) {
    step = reader.read(bytes.substr(0, piece));
    bytes.remove_prefix(step.used);
  }
  EXPECT_TRUE(bytes.empty());
  return step;
}

TEST(AnswerReader, ReadsEveryFramingCutAnywhere) {
  const Expected expected = hello();
  for (const std::string_view answer : {kPlain, kChunked}) {
    AnswerReader reader(expected);
    for (std::size_t piece = 1; piece <= answer.size(); ++piece) {
      const ReadStep step = read_in_pieces(reader, answer, piece);
      EXPECT_TRUE(step.is_whole) << piece;
      EXPECT_EQ(step.failure, std::nullopt) << piece << reader.why();
    }
  }
}

TEST(AnswerReader, ReadsABodyUpToTheEndOfTheConnection) {
  const Expected expected = hello();
  AnswerReader reader(expected);
  EXPECT_FALSE(reader.read(kEndless).is_whole);
  EXPECT_TRUE(reader.closes());
  const ReadStep step = reader.end();
  EXPECT_TRUE(step.is_whole);
  EXPECT_EQ(step.failure, std::nullopt);
}

TEST(AnswerReader, LeavesTheNextAnswerAlone) {
  const Expected expected = hello();
  AnswerReader reader(expected);
  const std::string both = std::string(kPlain) + std::string(kPlain);
  const ReadStep step = reader.read(both);
  EXPECT_TRUE(step.is_whole);
  EXPECT_EQ(step.used, kPlain.size());
}

TEST(AnswerReader, TakesAnAnswerWithoutBodyAsWholeAtOnce) {
  const Expected expected{200, std::nullopt, 0};
  AnswerReader reader(expected);
  const ReadStep step = reader.read("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
  EXPECT_TRUE(step.is_whole);
  EXPECT_EQ(step.failure, std::nullopt);
}

struct Wrong {
  std::string_view answer;
  Failure failure;
  std::string_view why;
};

TEST(AnswerReader, NamesWhatIsWrong) {
  const Expected expected = hello();
  const std::vector<Wrong> cases = {
      {"HTTP/1.1 500 No\r\nContent-Length: 2\r\n\r\nno", Failure::wrong_status,
       "status 500 instead of 200, with \"no\""},
      {"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nHellO", Failure::wrong_body,
       "body \"HellO\" instead of \"Hello\""},
      {"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nHell", Failure::wrong_body,
       "body \"Hell\" instead of \"Hello\""},
      {"HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nHello!", Failure::wrong_body,
       "body \"Hello!\" instead of \"Hello\""},
      {"HTTP/1.1 204 No Content\r\n\r\n", Failure::wrong_status,
       "status 204 instead of 200, with \"\""},
      {"SSH-2.0\r\n\r\n", Failure::malformed, "not an HTTP/1.1 answer: \"SSH-2.0\""},
      {"HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n", Failure::malformed,
       "not an HTTP/1.1 answer: \"HTTP/1.1 200 OK\r\nContent-Length: x\""},
      {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", Failure::malformed,
       "no chunk size: \"zz\""},
      {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nHe\r\n", Failure::malformed,
       "no line end behind a chunk"},
  };
  for (const Wrong& wrong : cases) {
    AnswerReader reader(expected);
    const ReadStep step = reader.read(wrong.answer);
    EXPECT_EQ(step.failure, wrong.failure) << wrong.answer;
    EXPECT_EQ(reader.why(), wrong.why);
  }
}

TEST(AnswerReader, NamesABodyOfTheWrongLengthAlone) {
  const Expected expected{200, std::nullopt, 6};
  AnswerReader reader(expected);
  EXPECT_EQ(reader.read(kPlain).failure, Failure::wrong_body);
  EXPECT_EQ(reader.why(), "body of 5 bytes instead of 6");
}

TEST(AnswerReader, TellsAnEndBeforeTheWholeAnswer) {
  const Expected expected = hello();
  for (const std::string_view answer : {kPlain, kChunked}) {
    for (std::size_t cut = 0; cut < answer.size(); ++cut) {
      AnswerReader reader(expected);
      EXPECT_FALSE(cut != 0 && reader.read(answer.substr(0, cut)).is_whole);
      EXPECT_EQ(reader.end().failure, Failure::closed) << cut;
    }
  }
}

TEST(AnswerReader, RefusesAHeadWithoutEnd) {
  const Expected expected = hello();
  AnswerReader reader(expected);
  ReadStep step;
  for (int i = 0; i < 70 && !step.failure; ++i) {
    step = reader.read(std::string(1024, 'x'));
  }
  EXPECT_EQ(step.failure, Failure::malformed);
}

/// How the first answer ends when the bytes come in pieces of that size: nothing when it does not.
std::optional<ReadStep> first_end(std::string_view bytes, std::size_t piece) {
  const Expected expected = hello();
  AnswerReader reader(expected);
  while (!bytes.empty()) {
    const ReadStep step = reader.read(bytes.substr(0, piece));
    EXPECT_LE(step.used, bytes.size());
    if (step.is_whole) {
      return step;
    }
    bytes.remove_prefix(step.used);
  }
  return std::nullopt;
}

TEST(AnswerReader, DoesNotDependOnTheCutsOfWhateverComes) {
  std::mt19937 random(11);
  const auto below = [&](std::size_t bound) { return random() % bound; };
  for (int i = 0; i < 20000; ++i) {
    std::string answer(i % 2 == 0 ? kPlain : kChunked);
    for (std::size_t changes = 1 + below(3); changes != 0; --changes) {
      constexpr std::string_view kBytes = "\r\n :;0159fFxX";
      answer[below(answer.size())] = kBytes[below(kBytes.size())];
    }
    const auto at_once = first_end(answer, answer.size());
    const auto in_pieces = first_end(answer, 1 + below(9));
    ASSERT_EQ(at_once.has_value(), in_pieces.has_value()) << answer;
    if (at_once) {
      ASSERT_EQ(at_once->failure, in_pieces->failure) << answer;
    }
  }
}

}  // namespace
}  // namespace load
