#include "eider/protocols/http/h1/head_reader.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "eider/core/base/arena.h"
#include "tests/conformance/h1_field_cases.h"
#include "tests/conformance/h1_framing_cases.h"
#include "tests/conformance/h1_line_cases.h"
#include "tests/differential/h1_reading.h"

namespace eider::h1 {
namespace {

/// The result of reading `in`: the head's text, "need_more", or the text of the error.
std::string outcome(std::string_view in, const HeadLimits& limits = {}) {
  HeadReader reader;
  // On the heap and without a terminator, so that the sanitizer reports each byte read beyond the
  // end.
  const std::vector<char> exact(in.begin(), in.end());
  switch (reader.read({exact.data(), exact.size()}, limits)) {
    case HeadStatus::need_more:
      return "need_more";
    case HeadStatus::complete:
      return describe(reader.head());
    case HeadStatus::refused:
      return std::string(refusal_info(reader.refusal()).text);
  }
  return {};
}

std::string expected(const HeadCase& one) {
  return std::string(one.refusal == Refusal::none ? one.reading : refusal_info(one.refusal).text);
}

TEST(HeadReader, reads_or_refuses_every_case_of_the_table) {
  for (const HeadCase& one : all_head_cases()) {
    EXPECT_EQ(outcome(one.bytes), expected(one)) << one.what << ", RFC " << one.section;
  }
}

TEST(HeadReader, judges_every_case_alike_wherever_it_is_cut) {
  for (const HeadCase& one : all_head_cases()) {
    const std::string whole = expected(one);
    for (std::size_t size = 0; size < one.bytes.size(); ++size) {
      const std::string part = outcome(std::string_view(one.bytes).substr(0, size));
      const bool is_same_refusal = one.refusal != Refusal::none && part == whole;
      EXPECT_TRUE(part == "need_more" || is_same_refusal)
          << one.what << " cut at " << size << ": " << part;
    }
  }
}

TEST(HeadReader, judges_every_case_alike_whatever_follows_it) {
  for (const HeadCase& one : all_head_cases()) {
    for (const std::string_view next :
         {"GET", "\r\n", "\n", " ", "\x01", "\x80xxxxxxxxxxxxxxxxxxx"}) {
      EXPECT_EQ(outcome(one.bytes + std::string(next)), expected(one)) << one.what;
    }
  }
}

TEST(HeadReader, has_more_bad_cases_than_good_ones_and_at_least_two_hundred) {
  std::size_t bad = 0;
  std::set<std::string> different;
  for (const HeadCase& one : all_head_cases()) {
    bad += one.refusal != Refusal::none ? 1 : 0;
    different.insert(one.bytes);
  }
  EXPECT_GE(different.size(), 200u);
  EXPECT_GT(bad, different.size() / 2);
}

TEST(HeadReader, takes_exactly_the_head_and_leaves_the_rest) {
  const std::string first = "\r\n" + with_fields("Content-Length: 3\r\n");
  HeadReader reader;
  ASSERT_EQ(reader.read(first + "abcGET", {}), HeadStatus::complete);
  EXPECT_EQ(reader.head_bytes(), first.size());
}

TEST(HeadReader, tells_the_target_from_its_parts_and_its_form) {
  HeadReader reader;
  const std::string in = with_target("http://b:1/c%20d?e=f");
  ASSERT_EQ(reader.read(in, {}), HeadStatus::complete);
  EXPECT_EQ(reader.head().target, "http://b:1/c%20d?e=f");
  EXPECT_EQ(reader.head().form, TargetForm::absolute);
  EXPECT_EQ(reader.head().path, "/c%20d");
  EXPECT_EQ(reader.head().query, "e=f");
}

// Otherwise checks of the target, such as allow_hosts, would not apply to the host that a handler
// reads.
TEST(HeadReader, gives_the_host_of_an_absolute_target_for_the_field) {
  HeadReader reader;
  const std::string in = "GET http://b.example/ HTTP/1.1\r\nA: b\r\nhOST: evil.example\r\n\r\n";
  ASSERT_EQ(reader.read(in, {}), HeadStatus::complete);
  EXPECT_EQ(reader.head().authority, "b.example");
  EXPECT_EQ(reader.head().find("Host"), "b.example");
  EXPECT_EQ(reader.head().find("A"), "b");
}

TEST(HeadReader, has_no_trace_of_the_head_before) {
  HeadReader reader;
  const std::string first = with_fields("Content-Length: 3\r\nConnection: close\r\nA: b\r\n");
  ASSERT_EQ(reader.read(first, {}), HeadStatus::complete);
  const std::string second = "GET /x HTTP/1.0\r\n\r\n";
  ASSERT_EQ(reader.read(second, {}), HeadStatus::complete);
  EXPECT_EQ(describe(reader.head()), "GET /x host= 1.0 none closes");
}

TEST(HeadReader, finds_fields_by_name_without_case) {
  HeadReader reader;
  const std::string in = with_fields("X-One: 1\r\nx-one: 2\r\n");
  ASSERT_EQ(reader.read(in, {}), HeadStatus::complete);
  EXPECT_EQ(reader.head().find("X-ONE"), "1");
  EXPECT_EQ(reader.head().find("X-On"), std::nullopt);
}

// Limits: each exactly at the limit, one above it, and one above it with an error afterwards.

std::string fields_of(int count) {
  std::string lines;
  for (int index = 1; index < count; ++index) {  // Host is the first one
    lines += "A: b\r\n";
  }
  return with_fields(lines);
}

std::string refused(Refusal refusal) {
  return std::string(refusal_info(refusal).text);
}

TEST(HeadReader, refuses_more_fields_than_allowed) {
  EXPECT_EQ(outcome(fields_of(100)).substr(0, 4), "POST");
  EXPECT_EQ(outcome(fields_of(101)), refused(Refusal::too_many_fields));
  EXPECT_EQ(outcome(fields_of(150), {.headers_max = 150}).substr(0, 4), "POST");
  EXPECT_EQ(outcome(fields_of(2), {.headers_max = 1}), refused(Refusal::too_many_fields));
}

TEST(HeadReader, refuses_a_target_longer_than_allowed) {
  const auto outcome_of = [](std::size_t bytes, std::string_view end) {
    return outcome(with_target("/" + std::string(bytes - 1, 'a') + std::string(end)),
                   {.target_bytes_max = 50});
  };
  EXPECT_EQ(outcome_of(50, "").substr(0, 3), "GET");
  EXPECT_EQ(outcome_of(51, ""), refused(Refusal::target_too_long));
  EXPECT_EQ(outcome_of(51, "\x01"), refused(Refusal::target_too_long));
  EXPECT_EQ(outcome_of(49, "\x01"), refused(Refusal::bad_target));
  EXPECT_EQ(outcome_of(49, "%4g"), refused(Refusal::target_too_long));
  EXPECT_EQ(outcome_of(48, "%g").substr(0, 3), "GET") << "the router rejects it";
}

TEST(HeadReader, refuses_a_head_larger_than_allowed) {
  const std::string head = with_fields("A: " + std::string(100, 'b') + "\r\n");
  const auto size = static_cast<std::uint32_t>(head.size());
  EXPECT_EQ(outcome(head, {.head_bytes_max = size}).substr(0, 4), "POST");
  EXPECT_EQ(outcome(head, {.head_bytes_max = size - 1}), refused(Refusal::head_too_large));
  EXPECT_EQ(outcome(head.substr(0, 90), {.head_bytes_max = 90}), "need_more");
  EXPECT_EQ(outcome(head.substr(0, 91), {.head_bytes_max = 90}), refused(Refusal::head_too_large));
}

TEST(HeadReader, judges_by_limits_alike_wherever_a_head_is_cut) {
  const HeadLimits limits{.head_bytes_max = 120, .target_bytes_max = 20, .headers_max = 3};
  for (const std::string& bytes :
       {fields_of(5), with_target("/aaaaaaaaaaaaaaaaa%4g"),
        with_target("/aaaaaaaaaaaaaaaaaa\x01\x01"), with_target(std::string(30, '*')),
        with_fields("A: " + std::string(200, 'b') + "\r\n"),
        with_fields("A: " + std::string(100, 'b') + "\x01\r\n")}) {
    const std::string whole = outcome(bytes, limits);
    for (std::size_t size = 0; size < bytes.size(); ++size) {
      const std::string part = outcome(bytes.substr(0, size), limits);
      EXPECT_TRUE(part == "need_more" || part == whole) << bytes << " cut at " << size;
    }
  }
}

// Heads in pieces.

TEST(HeadSearch, lets_every_case_be_read_byte_by_byte) {
  for (const HeadCase& one : all_head_cases()) {
    HeadSearch search;
    std::string got = "need_more";
    for (std::size_t size = 1; size <= one.bytes.size() && got == "need_more"; ++size) {
      const std::string_view in = std::string_view(one.bytes).substr(0, size);
      if (search.is_worth_reading(in, {})) {
        got = outcome(in);
      }
    }
    // An error may be reported only at the end of the line, which some cases do not have.
    EXPECT_TRUE(got == expected(one) || (one.refusal != Refusal::none && got == "need_more"))
        << one.what << ": " << got;
  }
}

TEST(HeadSearch, makes_a_head_that_comes_byte_by_byte_be_read_once) {
  const std::string head = fields_of(100);
  HeadSearch search;
  int reads = 0;
  for (std::size_t size = 1; size <= head.size(); ++size) {
    reads += search.is_worth_reading(std::string_view(head).substr(0, size), {}) ? 1 : 0;
  }
  EXPECT_EQ(reads, 1);
}

TEST(HeadSearch, gives_up_the_wait_at_the_limit) {
  const HeadLimits limits{.head_bytes_max = 10};
  HeadSearch search;
  EXPECT_FALSE(search.is_worth_reading("0123456789", limits));
  EXPECT_TRUE(search.is_worth_reading("0123456789a", limits));
}

TEST(HeadSearch, starts_anew_for_the_next_head) {
  HeadSearch search;
  EXPECT_FALSE(search.is_worth_reading("GET / HTTP/1.1\r\nHost: a", {}));
  search.reset();
  EXPECT_TRUE(search.is_worth_reading("A\r\n\r\n", {}));
}

// Copies.

TEST(CopyHead, has_all_its_views_in_the_arena) {
  std::string in = with_target("/p?q=r") + "rest";
  HeadReader reader;
  ASSERT_EQ(reader.read(in, {}), HeadStatus::complete);
  const std::string before = describe(reader.head());
  Arena arena;
  const RequestHead copy = copy_head(reader.head(), arena);
  in.assign(in.size(), 'x');
  EXPECT_EQ(describe(copy), before);
  EXPECT_EQ(copy.find("host"), "a");
  EXPECT_EQ(copy.target, "/p?q=r");
}

TEST(CopyHead, keeps_what_does_not_point_into_the_head) {
  const std::string in = with_target("http://b");
  HeadReader reader;
  ASSERT_EQ(reader.read(in, {}), HeadStatus::complete);
  Arena arena;
  EXPECT_EQ(copy_head(reader.head(), arena).path, "/");
}

TEST(Refusal, has_a_status_a_text_and_a_section_for_every_way_to_refuse) {
  const std::set<int> statuses = {400, 408, 413, 414, 417, 431, 501, 505};
  std::set<std::string_view> texts;
  const int last = static_cast<int>(Refusal::head_too_slow);
  for (int value = 1; value <= last; ++value) {
    const RefusalInfo& info = refusal_info(static_cast<Refusal>(value));
    EXPECT_TRUE(statuses.contains(info.status)) << value;
    EXPECT_TRUE(info.section.starts_with("RFC ")) << value;
    EXPECT_TRUE(texts.insert(info.text).second) << info.text;
  }
}

}  // namespace
}  // namespace eider::h1
