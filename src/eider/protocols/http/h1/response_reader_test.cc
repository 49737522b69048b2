#include "eider/protocols/http/h1/response_reader.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace eider::h1 {
namespace {

using namespace std::string_literals;
using namespace std::string_view_literals;

/// flaw  none: the head is accepted, and described as `reading` (see describe)
struct ReplyCase {
  std::string_view what;
  std::string bytes;
  ResponseFlaw flaw = ResponseFlaw::none;
  std::string_view reading = {};
  Method asked = Method::get;
};

std::string with_line(std::string_view line) {
  return std::string(line) + "\r\n\r\n";
}
std::string with_fields(std::string_view lines, std::string_view status = "200 OK") {
  return "HTTP/1.1 " + std::string(status) + "\r\n" + std::string(lines) + "\r\n";
}

std::vector<ReplyCase> good_lines() {
  using enum ResponseFlaw;
  return {
      {"the usual line", with_line("HTTP/1.1 200 OK"), none, "200 1.1 until_close closes"},
      {"no reason", with_line("HTTP/1.1 200 "), none, "200 1.1 until_close closes"},
      {"a reason with blanks", with_line("HTTP/1.1 404 Not  Found "), none,
       "404 1.1 until_close closes"},
      {"a reason in another script", with_line("HTTP/1.1 200 \xC3\xA4"), none,
       "200 1.1 until_close closes"},
      {"HTTP/1.0", with_line("HTTP/1.0 200 OK"), none, "200 1.0 until_close closes"},
      {"a later minor version", with_line("HTTP/1.7 200 OK"), none, "200 1.1 until_close closes"},
      {"an interim answer", with_line("HTTP/1.1 100 Continue"), none, "100 1.1 none stays"},
      {"a switch", with_line("HTTP/1.1 101 Switching"), none, "101 1.1 none closes"},
      {"no content", with_line("HTTP/1.1 204 None"), none, "204 1.1 none stays"},
      {"not modified", with_line("HTTP/1.1 304 Same"), none, "304 1.1 none stays"},
      {"a code that nobody knows", with_line("HTTP/1.1 599 ?"), none, "599 1.1 until_close closes"},
      {"a status above 599", with_line("HTTP/1.1 600 OK"), none, "600 1.1 until_close closes"},
      {"the largest status", with_line("HTTP/1.1 999 -"), none, "999 1.1 until_close closes"},
      {"no space after the status", with_line("HTTP/1.1 200"), none, "200 1.1 until_close closes"},
      {"no space after it in HTTP/1.0", with_line("HTTP/1.0 404"), none,
       "404 1.0 until_close closes"},
  };
}

std::vector<ReplyCase> bad_lines() {
  using enum ResponseFlaw;
  return {
      {"an empty line in front", "\r\n" + with_line("HTTP/1.1 200 OK"), bad_version},
      {"HTTP/0.9", "<html>", bad_version},
      {"lower case", with_line("http/1.1 200 OK"), bad_version},
      {"another protocol", with_line("ICY 200 OK"), bad_version},
      {"SIP", with_line("SIP/2.0 200 OK"), bad_version},
      {"no minor version", with_line("HTTP/1 200 OK"), bad_version},
      {"two digits", with_line("HTTP/1.10 200 OK"), bad_version},
      {"a blank in the version", with_line("HTTP/ 1.1 200 OK"), bad_version},
      {"two blanks behind the version", with_line("HTTP/1.1  200 OK"), bad_status},
      {"a tab behind the version", with_line("HTTP/1.1\t200 OK"), bad_version},
      {"HTTP/2.0", with_line("HTTP/2.0 200 OK"), unsupported_version},
      {"HTTP/0.9 by name", with_line("HTTP/0.9 200 OK"), unsupported_version},
      {"no status", with_line("HTTP/1.1 "), bad_status},
      {"two digits", with_line("HTTP/1.1 20 OK"), bad_status},
      {"four digits", with_line("HTTP/1.1 2000 OK"), bad_status},
      {"a status below 100", with_line("HTTP/1.1 099 OK"), bad_status},
      {"letters", with_line("HTTP/1.1 2x0 OK"), bad_status},
      {"a sign", with_line("HTTP/1.1 +20 OK"), bad_status},
      {"a bare LF after the status", "HTTP/1.1 200\n\n", bare_lf},
      {"a bare CR after the status", "HTTP/1.1 200\rA: b\r\n\r\n", bare_cr},
      {"a tab behind the status", with_line("HTTP/1.1 200\tOK"), bad_status},
      {"NUL in the reason", "HTTP/1.1 200 O\0K\r\n\r\n"s, bad_reason},
      {"DEL in the reason", with_line("HTTP/1.1 200 O\x7FK"), bad_reason},
      {"a bare LF", "HTTP/1.1 200 OK\n\n", bare_lf},
      {"a bare CR", "HTTP/1.1 200 OK\rSet-Cookie: a=b\r\n\r\n", bare_cr},
      {"a request", "GET / HTTP/1.1\r\n\r\n", bad_version},
  };
}

std::vector<ReplyCase> good_fields() {
  using enum ResponseFlaw;
  return {
      {"fields in their order", with_fields("A: b\r\nC:d\r\nA:  e \t\r\nContent-Length: 0\r\n"),
       none, "200 1.1 none stays A=b C=d A=e Content-Length=0"},
      {"a blank before the colon", with_fields("A : b\r\nContent-Length: 0\r\n"), none,
       "200 1.1 none stays A=b Content-Length=0"},
      {"a tab before the colon of a length", with_fields("Content-Length\t: 5\r\n"), none,
       "200 1.1 sized:5 stays Content-Length=5"},
      {"blanks before the colon of a coding", with_fields("Transfer-Encoding  \t: chunked\r\n"),
       none, "200 1.1 chunked stays Transfer-Encoding=chunked"},
      {"an empty value", with_fields("A:\r\nContent-Length: 1\r\n"), none,
       "200 1.1 sized:1 stays A= Content-Length=1"},
      {"bytes above ASCII", with_fields("A: \xFF\r\n"), none, "200 1.1 until_close closes A=\xFF"},
      {"close", with_fields("Connection: close\r\nContent-Length: 1\r\n"), none,
       "200 1.1 sized:1 closes Connection=close Content-Length=1"},
      {"close in a list", with_fields("Connection: a, ,CLOSE\r\nContent-Length: 1\r\n"), none,
       "200 1.1 sized:1 closes Connection=a, ,CLOSE Content-Length=1"},
      {"keep-alive in HTTP/1.0",
       "HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 2\r\n\r\n", none,
       "200 1.0 sized:2 stays Connection=keep-alive Content-Length=2"},
      {"the largest length", with_fields("Content-Length: 9223372036854775807\r\n"), none,
       "200 1.1 sized:9223372036854775807 stays Content-Length=9223372036854775807"},
      {"chunked", with_fields("transfer-encoding: Chunked\r\n"), none,
       "200 1.1 chunked stays transfer-encoding=Chunked"},
      {"a length with HEAD", with_fields("Content-Length: 5\r\n"), none,
       "200 1.1 none stays Content-Length=5", Method::head},
      {"chunked with HEAD", with_fields("Transfer-Encoding: chunked\r\n"), none,
       "200 1.1 none stays Transfer-Encoding=chunked", Method::head},
      {"a length with 304", with_fields("Content-Length: 5\r\n", "304 -"), none,
       "304 1.1 none stays Content-Length=5"},
      {"a length of none with 204", with_fields("Content-Length: 0\r\n", "204 -"), none,
       "204 1.1 none stays Content-Length=0"},
      {"a length with 204", with_fields("Content-Length: 5\r\n", "204 -"), none,
       "204 1.1 none closes Content-Length=5"},
      {"a length with 103", with_fields("Content-Length: 5\r\n", "103 -"), none,
       "103 1.1 none closes Content-Length=5"},
      {"a length with 101", with_fields("Content-Length: 0\r\n", "101 -"), none,
       "101 1.1 none closes Content-Length=0"},
      {"chunked with 204", with_fields("Transfer-Encoding: chunked\r\n", "204 -"), none,
       "204 1.1 none closes Transfer-Encoding=chunked"},
      {"chunked with 100", with_fields("Transfer-Encoding: chunked\r\n", "100 -"), none,
       "100 1.1 none closes Transfer-Encoding=chunked"},
      {"equal lengths twice", with_fields("Content-Length: 5\r\nContent-Length: 5\r\n"), none,
       "200 1.1 sized:5 stays Content-Length=5 Content-Length=5"},
      {"equal lengths in a list", with_fields("Content-Length: 5, 5,5\r\n"), none,
       "200 1.1 sized:5 stays Content-Length=5, 5,5"},
      {"equal lengths of nothing", with_fields("Content-Length: 0\r\nContent-Length: 00\r\n"), none,
       "200 1.1 none stays Content-Length=0 Content-Length=00"},
      {"a tunnel", with_fields("Content-Length: 5\r\n"), none,
       "200 1.1 none closes Content-Length=5", Method::connect},
      {"a tunnel that is declined", with_fields("Content-Length: 5\r\n", "407 -"), none,
       "407 1.1 sized:5 stays Content-Length=5", Method::connect},
  };
}

/// Other clients read these too. The connection is not reused.
std::vector<ReplyCase> lenient_fields() {
  using enum ResponseFlaw;
  return {
      {"a quoted connection option", with_fields("Connection: \"close\"\r\nContent-Length: 1\r\n"),
       none, "200 1.1 sized:1 closes Connection=\"close\" Content-Length=1"},
      {"a blank in a connection option", with_fields("Connection: a b\r\nContent-Length: 1\r\n"),
       none, "200 1.1 sized:1 closes Connection=a b Content-Length=1"},
      {"identity", with_fields("Transfer-Encoding: identity\r\n"), none,
       "200 1.1 until_close closes Transfer-Encoding=identity"},
      {"identity and a length", with_fields("Transfer-Encoding: Identity\r\nContent-Length: 5\r\n"),
       none, "200 1.1 sized:5 closes Transfer-Encoding=Identity Content-Length=5"},
      {"a length and identity", with_fields("Content-Length: 5\r\nTransfer-Encoding: identity\r\n"),
       none, "200 1.1 sized:5 closes Content-Length=5 Transfer-Encoding=identity"},
      {"identity before chunked", with_fields("Transfer-Encoding: identity, ,chunked\r\n"), none,
       "200 1.1 chunked stays Transfer-Encoding=identity, ,chunked"},
      {"no coding", with_fields("Transfer-Encoding:\r\n"), none,
       "200 1.1 until_close closes Transfer-Encoding="},
      {"chunked in HTTP/1.0",
       "HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n", none,
       "200 1.0 chunked closes Connection=keep-alive Transfer-Encoding=chunked"},
  };
}

std::vector<ReplyCase> bad_fields() {
  using enum ResponseFlaw;
  return {
      {"no name", with_fields(": a\r\n"), bad_field_name},
      {"no colon", with_fields("A\r\n"), bad_field_name},
      {"a quote in a name", with_fields("A\"b: c\r\n"), bad_field_name},
      {"NUL in a name", with_fields("A\0: c\r\n"sv), bad_field_name},
      {"a name with a blank", with_fields("A B: c\r\n"), bad_field_name},
      {"a name with a blank at both ends", with_fields("A B : c\r\n"), bad_field_name},
      {"a folded line", with_fields("A: b\r\n c\r\n"), folded_line},
      {"a fold in front", with_fields(" A: b\r\n"), folded_line},
      {"NUL in a value", with_fields("A: b\0c\r\n"sv), bad_field_value},
      {"ESC in a value", with_fields("A: \x1B[31m\r\n"), bad_field_value},
      {"a bare CR in a value", with_fields("A: b\rSet-Cookie: c=d\r\n"), bare_cr},
      {"a bare LF behind a value", with_fields("A: b\nC: d\r\n"), bare_lf},
      {"a bare LF as the empty line", "HTTP/1.1 200 OK\r\nA: b\r\n\n", bare_lf},
      {"a CR alone as the empty line", "HTTP/1.1 200 OK\r\nA: b\r\n\rx", bare_cr},
  };
}

std::vector<ReplyCase> bad_framing() {
  using enum ResponseFlaw;
  return {
      {"an empty length", with_fields("Content-Length:\r\n"), bad_content_length},
      {"a sign", with_fields("Content-Length: +5\r\n"), bad_content_length},
      {"minus zero", with_fields("Content-Length: -0\r\n"), bad_content_length},
      {"a list with a comma too many", with_fields("Content-Length: 5,\r\n"), bad_content_length},
      {"different lengths in a list", with_fields("Content-Length: 5, 6\r\n"),
       different_content_lengths},
      {"hexadecimal", with_fields("Content-Length: 0x5\r\n"), bad_content_length},
      {"a fraction", with_fields("Content-Length: 5.0\r\n"), bad_content_length},
      {"a bad length with HEAD", with_fields("Content-Length: x\r\n"), bad_content_length, "",
       Method::head},
      {"different lengths", with_fields("Content-Length: 5\r\ncontent-length: 6\r\n"),
       different_content_lengths},
      {"nothing and a length", with_fields("Content-Length: 0\r\nContent-Length: 5\r\n"),
       different_content_lengths},
      {"one too large", with_fields("Content-Length: 9223372036854775808\r\n"),
       content_length_too_large},
      {"one far too large", with_fields("Content-Length: 99999999999999999999999\r\n"),
       content_length_too_large},
      {"a coding behind a length",
       with_fields("Content-Length: 5\r\nTransfer-Encoding: chunked\r\n"), length_with_coding},
      {"a length behind a coding",
       with_fields("Transfer-Encoding: chunked\r\nContent-Length: 5\r\n"), length_with_coding},
      {"gzip", with_fields("Transfer-Encoding: gzip\r\n"), unknown_transfer_coding},
      {"gzip before chunked", with_fields("Transfer-Encoding: gzip, chunked\r\n"),
       unknown_transfer_coding},
      {"chunked is not the last", with_fields("Transfer-Encoding: chunked, gzip\r\n"),
       unknown_transfer_coding},
      {"chunked twice", with_fields("Transfer-Encoding: chunked, chunked\r\n"),
       unknown_transfer_coding},
      {"chunked in two lines",
       with_fields("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n"),
       unknown_transfer_coding},
      {"identity after chunked", with_fields("Transfer-Encoding: chunked, identity\r\n"),
       unknown_transfer_coding},
      {"a length, identity and chunked",
       with_fields("Content-Length: 5\r\nTransfer-Encoding: identity, chunked\r\n"),
       length_with_coding},
      {"identity with a parameter", with_fields("Transfer-Encoding: identity;q=1\r\n"),
       bad_transfer_coding},
      {"xchunked", with_fields("Transfer-Encoding: xchunked\r\n"), unknown_transfer_coding},
      {"a parameter", with_fields("Transfer-Encoding: chunked;a=b\r\n"), bad_transfer_coding},
      {"a control byte in a coding",
       with_fields("Transfer-Encoding: \x0B"
                   "chunked\r\n"),
       bad_field_value},
      {"chunked and a length in HTTP/1.0",
       "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n",
       length_with_coding},
      {"gzip in HTTP/1.0", "HTTP/1.0 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n",
       unknown_transfer_coding},
      {"different lengths with 204",
       with_fields("Content-Length: 5\r\nContent-Length: 6\r\n", "204 -"),
       different_content_lengths},
  };
}

std::vector<ReplyCase> all_cases() {
  std::vector<ReplyCase> all;
  for (auto cases :
       {good_lines(), bad_lines(), good_fields(), lenient_fields(), bad_fields(), bad_framing()}) {
    all.insert(all.end(), cases.begin(), cases.end());
  }
  return all;
}

std::string to_text(const ReplyHead& head) {
  switch (head.body) {
    case ReplyBody::none:
      return "none";
    case ReplyBody::sized:
      return "sized:" + std::to_string(head.content_length);
    case ReplyBody::chunked:
      return "chunked";
    case ReplyBody::until_close:
      return "until_close";
  }
  return {};
}

std::string describe(const ReplyHead& head) {
  std::string text = std::to_string(head.status) + " 1." + std::to_string(head.minor_version);
  text.append(" ").append(to_text(head)).append(head.keeps_alive ? " stays" : " closes");
  for (const Field& field : head.fields) {
    text.append(" ").append(field.name).append("=").append(field.value);
  }
  return text;
}

/// The result of reading `in`: the head's text, "need_more", or the text of the error.
std::string outcome(std::string_view in, Method asked, const ResponseLimits& limits = {}) {
  ResponseReader reader;
  // On the heap and without a terminator, so that the sanitizer reports each byte read beyond the
  // end.
  const std::vector<char> exact(in.begin(), in.end());
  switch (reader.read({exact.data(), exact.size()}, asked, limits)) {
    case HeadStatus::need_more:
      return "need_more";
    case HeadStatus::complete:
      return describe(reader.head());
    case HeadStatus::refused:
      return std::string(flaw_info(reader.flaw()).text);
  }
  return {};
}

std::string expected(const ReplyCase& one) {
  return std::string(one.flaw == ResponseFlaw::none ? one.reading : flaw_info(one.flaw).text);
}

TEST(ResponseReader, reads_or_refuses_every_case_of_the_table) {
  for (const ReplyCase& one : all_cases()) {
    EXPECT_EQ(outcome(one.bytes, one.asked), expected(one)) << one.what;
  }
}

TEST(ResponseReader, judges_every_case_alike_wherever_it_is_cut) {
  for (const ReplyCase& one : all_cases()) {
    const std::string whole = expected(one);
    for (std::size_t size = 0; size < one.bytes.size(); ++size) {
      const std::string part = outcome(std::string_view(one.bytes).substr(0, size), one.asked);
      const bool is_same = one.flaw != ResponseFlaw::none && part == whole;
      EXPECT_TRUE(part == "need_more" || is_same) << one.what << " cut at " << size << ": " << part;
    }
  }
}

TEST(ResponseReader, judges_every_case_alike_whatever_follows_it) {
  for (const ReplyCase& one : all_cases()) {
    for (const std::string_view next : {"HTTP", "\r\n", "\n", " ", "\x01", "\x80xxxxxxxxxxxxxxx"}) {
      EXPECT_EQ(outcome(one.bytes + std::string(next), one.asked), expected(one)) << one.what;
    }
  }
}

TEST(ResponseReader, has_more_bad_cases_than_good_ones) {
  std::size_t bad = 0;
  std::set<std::string> different;
  for (const ReplyCase& one : all_cases()) {
    bad += one.flaw != ResponseFlaw::none ? 1 : 0;
    different.insert(one.bytes);
  }
  EXPECT_GE(different.size(), 80U);
  EXPECT_GT(bad, different.size() / 2);
}

TEST(ResponseReader, takes_exactly_the_head_and_leaves_the_rest) {
  const std::string first = with_fields("Content-Length: 3\r\n");
  ResponseReader reader;
  const std::string received = first + "abcHTTP/1.1";
  ASSERT_EQ(reader.read(received, Method::get, {}), HeadStatus::complete);
  EXPECT_EQ(reader.head_bytes(), first.size());
  EXPECT_EQ(reader.head().find("CONTENT-length"), "3");
  EXPECT_EQ(reader.head().find("Content"), std::nullopt);
}

TEST(ResponseReader, has_no_trace_of_the_head_before) {
  ResponseReader reader;
  const std::string first = with_fields("Content-Length: 3\r\nConnection: close\r\n");
  ASSERT_EQ(reader.read(first, Method::get, {}), HeadStatus::complete);
  const std::string second = with_line("HTTP/1.1 204 -");
  ASSERT_EQ(reader.read(second, Method::get, {}), HeadStatus::complete);
  EXPECT_EQ(describe(reader.head()), "204 1.1 none stays");
}

TEST(ResponseReader, bounds_the_number_of_fields) {
  const ResponseLimits limits{.headers_max = 2};
  EXPECT_EQ(outcome(with_fields("A: b\r\nA: b\r\n"), Method::get, limits),
            "200 1.1 until_close closes A=b A=b");
  EXPECT_EQ(outcome(with_fields("A: b\r\nA: b\r\nA: b\r\n"), Method::get, limits),
            flaw_info(ResponseFlaw::too_many_fields).text);
}

TEST(ResponseReader, bounds_the_bytes_of_the_head_and_of_an_endless_one) {
  const std::string whole = with_fields("A: b\r\n");
  const auto bytes = static_cast<std::uint32_t>(whole.size());
  EXPECT_EQ(outcome(whole + "x", Method::get, {.head_bytes_max = bytes}),
            "200 1.1 until_close closes A=b");
  EXPECT_EQ(outcome(whole + "x", Method::get, {.head_bytes_max = bytes - 1}),
            flaw_info(ResponseFlaw::head_too_large).text);
  EXPECT_EQ(outcome("HTTP/1.1 200 " + std::string(100, 'x'), Method::get, {.head_bytes_max = 99}),
            flaw_info(ResponseFlaw::head_too_large).text);
}

TEST(ResponseReader, every_flaw_has_a_sentence_and_a_source) {
  const auto last = static_cast<int>(ResponseFlaw::trailers_too_large);
  for (int flaw = 1; flaw <= last; ++flaw) {
    const ResponseFlawInfo& info = flaw_info(static_cast<ResponseFlaw>(flaw));
    EXPECT_TRUE(info.text.ends_with('.')) << flaw;
    EXPECT_TRUE(info.section.starts_with("RFC 9")) << flaw;
  }
}

}  // namespace
}  // namespace eider::h1
