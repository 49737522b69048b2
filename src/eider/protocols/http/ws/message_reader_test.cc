#include "eider/protocols/http/ws/message_reader.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/conformance/ws_cases.h"
#include "tests/conformance/ws_feeder.h"

namespace eider::ws {
namespace {

/// A case as one side receives it.
struct Sided {
  Side side;
  WsCase one;
  std::string bytes;
};

std::vector<Sided> all_sided_cases() {
  std::vector<Sided> all;
  for (const Side side : {Side::server, Side::client}) {
    for (WsCase& one : all_ws_cases(side)) {
      std::string bytes = bytes_of(one.sent, side);
      all.push_back({side, std::move(one), std::move(bytes)});
    }
  }
  return all;
}

std::string name_of_case(const Sided& sided) {
  return sided.one.what + (sided.side == Side::server ? ", at a server" : ", at a client") +
         ", RFC 6455, " + std::string(sided.one.section);
}

void expect_seen(const Sided& sided, const Feeder& feeder) {
  EXPECT_EQ(feeder.seen().size(), sided.one.seen.size()) << name_of_case(sided);
  EXPECT_TRUE(feeder.seen() == sided.one.seen) << name_of_case(sided);
  EXPECT_TRUE(feeder.is_all_consumed()) << name_of_case(sided);
}

TEST(MessageReader, has_at_least_150_cases_for_each_side) {
  EXPECT_GE(all_ws_cases(Side::server).size(), 150U);
  EXPECT_GE(all_ws_cases(Side::client).size(), 150U);
}

TEST(MessageReader, tells_what_each_case_of_the_table_says) {
  for (const Sided& sided : all_sided_cases()) {
    Feeder feeder(sided.side, sided.one.limits);
    feeder.feed(sided.bytes);
    expect_seen(sided, feeder);
  }
}

TEST(MessageReader, tells_the_same_in_chops_of_any_size) {
  for (const Sided& sided : all_sided_cases()) {
    for (const std::size_t bytes : {1UL, 2UL, 3UL, 7UL, 13UL, 64UL, 997UL, 4096UL}) {
      Feeder feeder(sided.side, sided.one.limits);
      feeder.feed(sided.bytes, bytes);
      expect_seen(sided, feeder);
    }
  }
}

TEST(MessageReader, tells_the_same_cut_in_two_anywhere) {
  for (const Sided& sided : all_sided_cases()) {
    // Each byte; for the few very long cases, which are uniform inside, one in some thousand.
    const std::size_t step = sided.bytes.size() < 1000 ? 1 : 4999;
    for (std::size_t size = 0; size <= sided.bytes.size(); size += step) {
      Feeder feeder(sided.side, sided.one.limits);
      feeder.feed(std::string_view(sided.bytes).substr(0, size));
      feeder.feed(std::string_view(sided.bytes).substr(size));
      expect_seen(sided, feeder);
    }
  }
}

TEST(MessageReader, tells_the_same_in_pieces) {
  for (const Sided& sided : all_sided_cases()) {
    for (const std::size_t bytes : {1UL, 5UL, 4096UL, 1UL << 20U}) {
      Feeder feeder(sided.side, sided.one.limits);
      feeder.reader().set_delivery(Delivery::pieces);
      feeder.feed(sided.bytes, bytes);
      expect_seen(sided, feeder);
    }
  }
}

TEST(MessageReader, an_event_is_never_told_before_its_last_byte) {
  for (const Sided& sided : all_sided_cases()) {
    if (sided.one.seen.size() != 1 || sided.one.sent.size() != 1 || sided.bytes.size() > 1000) {
      continue;
    }
    Feeder feeder(sided.side, sided.one.limits);
    feeder.feed(std::string_view(sided.bytes).substr(0, sided.bytes.size() - 1));
    EXPECT_TRUE(feeder.seen().empty() || feeder.is_refused()) << name_of_case(sided);
  }
}

TEST(MessageReader, holds_no_memory_between_messages) {
  for (const Sided& sided : all_sided_cases()) {
    const EventKind last = sided.one.seen.back().kind;
    Feeder feeder(sided.side, sided.one.limits);
    feeder.feed(sided.bytes, 3);
    EXPECT_EQ(feeder.reader().kept_bytes(), 0U) << name_of_case(sided);
    const bool is_open = last != EventKind::refused && last != EventKind::close;
    EXPECT_TRUE(!is_open || feeder.reader().is_idle()) << name_of_case(sided);
  }
}

constexpr MessageLimits kReaderLimits{};

TEST(MessageReader, holds_no_more_than_a_few_times_what_has_come) {
  Feeder feeder(Side::server, kReaderLimits);
  feeder.feed(bytes_of(announcing(binary(std::string(1000, 'x')), 1U << 20U), Side::server));
  EXPECT_LE(feeder.reader().kept_bytes(), 2000U);
  EXPECT_FALSE(feeder.reader().is_idle());
}

TEST(MessageReader, takes_a_client_message_that_is_whole_from_the_input_itself) {
  const std::string in = bytes_of(text("Hello"), Side::client);
  MessageReader reader(Side::client, kReaderLimits);
  Buffer scratch;
  const Event event = reader.read(in, scratch);
  EXPECT_EQ(event.data.data(), in.data() + 2);
  EXPECT_EQ(event.consumed, in.size());
  EXPECT_EQ(scratch.capacity(), 0U);
}

TEST(MessageReader, keeps_nothing_of_a_message_that_is_whole_in_the_input) {
  const std::string in = bytes_of(binary(std::string(5000, 'x')), Side::server);
  MessageReader reader(Side::server, kReaderLimits);
  Buffer scratch;
  EXPECT_EQ(reader.read(in, scratch).kind, EventKind::message);
  EXPECT_EQ(reader.kept_bytes(), 0U);
}

TEST(MessageReader, says_where_it_stands) {
  const std::string in = bytes_of({text_start("ab"), last("c"), close(1000)}, Side::client);
  MessageReader reader(Side::client, kReaderLimits);
  Buffer scratch;
  EXPECT_TRUE(reader.is_idle());
  // One byte of a header, a whole header, one byte of payload, a fragment.
  for (const std::size_t bytes : {1UL, 1UL, 1UL, 1UL}) {
    EXPECT_EQ(reader.read(std::string_view(in).substr(0, bytes), scratch).kind,
              EventKind::need_more);
    EXPECT_FALSE(reader.is_idle());
  }
}

TEST(MessageReader, hands_out_a_large_message_in_pieces_without_keeping_it) {
  const MessageLimits limits{.message_bytes_max = std::uint64_t{1} << 40U};
  const std::string start = bytes_of(announcing(binary(""), std::uint64_t{1} << 40U), Side::client);
  MessageReader reader(Side::client, limits);
  reader.set_delivery(Delivery::pieces);
  Buffer scratch;
  EXPECT_EQ(reader.read(start, scratch).kind, EventKind::need_more);
  const std::string part(100000, 'x');
  for (int count = 0; count < 10; ++count) {
    const Event event = reader.read(part, scratch);
    EXPECT_EQ(event.kind, EventKind::piece);
    EXPECT_EQ(event.data, part);
    EXPECT_FALSE(event.is_last);
    EXPECT_EQ(reader.kept_bytes(), 0U);
  }
}

TEST(MessageReader, stays_refused) {
  Feeder feeder(Side::server, kReaderLimits);
  feeder.feed("\xFF");
  Buffer scratch;
  for (int count = 0; count < 3; ++count) {
    const Event event = feeder.reader().read(bytes_of(text("a"), Side::server), scratch);
    EXPECT_EQ(event.kind, EventKind::refused);
    EXPECT_EQ(event.code, CloseCode::protocol_error);
  }
}

static_assert(sizeof(MessageReader) <= 96, "each connection has one");

}  // namespace
}  // namespace eider::ws
