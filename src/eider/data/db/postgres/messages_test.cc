#include "eider/data/db/postgres/messages.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "eider/data/db/failure.h"
#include "eider/data/db/postgres/message_writer.h"
#include "eider/data/db/postgres/postgres_error.h"
#include "tests/support/postgres_message.h"

namespace eider::db::postgres {
namespace {

using namespace std::string_literals;

/// Returns all messages in `bytes`, of which `at_a_time` bytes arrive at a time.
std::vector<std::pair<char, std::string>> read(MessageReader& reader, std::string_view bytes,
                                               std::size_t at_a_time) {
  std::vector<std::pair<char, std::string>> read;
  while (!bytes.empty()) {
    const std::span<char> room = reader.room();
    const std::size_t came = std::min({at_a_time, bytes.size(), room.size()});
    std::ranges::copy(bytes.substr(0, came), room.begin());
    reader.note_came(came);
    bytes.remove_prefix(came);
    while (const auto next = reader.next()) {
      read.emplace_back(next->kind, next->body);
    }
  }
  return read;
}

TEST(Messages, are_the_same_wherever_they_are_cut) {
  const std::vector<std::pair<char, std::string>> said = {
      {'2', ""}, {'D', "a row"}, {'D', std::string(40'000, 'x')}, {'C', "SELECT 2\0"s}, {'Z', "I"}};
  std::string bytes;
  for (const auto& [kind, body] : said) {
    bytes += message(kind, body);
  }
  for (const std::size_t at_a_time : {1U, 2U, 3U, 5U, 7U, 100U, 16'000U, 100'000U}) {
    MessageReader reader;
    EXPECT_EQ(read(reader, bytes, at_a_time), said) << at_a_time;
    EXPECT_TRUE(reader.is_empty());
    EXPECT_FALSE(reader.is_broken());
  }
}

TEST(Messages, with_lengths_that_are_none_are_told) {
  for (const std::string& bytes :
       {"Z\0\0\0\3"s, "Z\0\0\0\0"s, "S\x7f\xff\xff\xff"s, "E\5\0\0\0"s}) {
    MessageReader reader;
    EXPECT_TRUE(read(reader, bytes, 1).empty());
    EXPECT_TRUE(reader.is_broken());
  }
}

TEST(Messages, that_are_notices_are_passed_over) {
  MessageReader reader;
  const auto rest =
      read(reader, message('N', std::string(1'000'000, 'x')) + message('Z', "I"), 900);
  EXPECT_EQ(rest, (std::vector<std::pair<char, std::string>>{{'Z', "I"}}));
  EXPECT_LT(reader.room().size(), 100'000U);
}

TEST(Messages, need_no_room_for_what_has_not_come) {
  MessageReader reader;
  EXPECT_TRUE(read(reader, "D\x7f\xff\xff\xff and no more"s, 100).empty());
  EXPECT_FALSE(reader.is_broken());
  EXPECT_FALSE(reader.is_empty());
  EXPECT_TRUE(reader.has_row_beyond(1'000'000));
  EXPECT_LT(reader.room().size(), 100'000U);
}

TEST(Messages, of_rows_are_dropped_as_they_come) {
  const std::string bytes = message('D', std::string(1'000'000, 'x')) + message('C', "x") +
                            message('D', "y") + message('Z', "T");
  for (const std::size_t at_a_time : {1U, 1000U}) {
    MessageReader reader;
    reader.drop_rows(true);
    const auto rest = read(reader, bytes, at_a_time);
    ASSERT_EQ(rest.size(), 2U);
    EXPECT_EQ(rest[1].second, "T");
    EXPECT_LT(reader.room().size(), 100'000U);
  }
}

TEST(Messages, that_are_cut_within_are_refused) {
  const std::string columns =
      "\0\2a\0\0\0\0\0\0\0\0\0\0\x17\0\4\xff\xff\xff\xff\0\1"
      "bc\0\0\0\0\0\0\0\0\0\0\x19\xff\xff\xff\xff\xff\xff\0\0"s;
  const std::vector<Column> read = read_columns(columns);
  ASSERT_EQ(read.size(), 2U);
  EXPECT_EQ(read[0].name, "a");
  EXPECT_EQ(read[0].type, 0x17U);
  EXPECT_EQ(read[0].format, Format::binary);
  EXPECT_EQ(read[1].name, "bc");
  EXPECT_EQ(read[1].format, Format::text);
  const std::string row = "\0\3\0\0\0\2xy\xff\xff\xff\xff\0\0\0\0"s;
  std::vector<std::string_view> values(3);
  read_row(row, values);
  EXPECT_EQ(values[0], "xy");
  EXPECT_EQ(values[1].data(), nullptr);
  EXPECT_NE(values[2].data(), nullptr);
  EXPECT_EQ(values[2], "");
  const std::string types = "\0\2\0\0\0\x17\0\0\0\x19"s;
  EXPECT_EQ(read_types(types), (std::vector<Oid>{0x17, 0x19}));
  for (std::size_t size = 0; size < columns.size(); ++size) {
    EXPECT_THROW((void)read_columns(columns.substr(0, size)), Failure) << size;
  }
  for (std::size_t size = 0; size < row.size(); ++size) {
    EXPECT_THROW(read_row(row.substr(0, size), values), Failure) << size;
  }
  for (std::size_t size = 0; size < types.size(); ++size) {
    EXPECT_THROW((void)read_types(types.substr(0, size)), Failure) << size;
  }
  EXPECT_THROW(read_row("\0\3\0\0\0\2xy\xff\xff\xff\xfe\0\0\0\0"s, values), Failure);
  EXPECT_THROW((void)read_status(""), Failure);
}

TEST(Messages, of_refusals_give_what_they_have) {
  const std::string body =
      "SERROR\0C23505\0Mduplicate key\0DKey (a)=(1) already exists.\0tbook\0nbook_key\0Rf\0\0"s;
  const Refusal refusal = read_refusal(body);
  EXPECT_EQ(refusal.code, "23505");
  EXPECT_EQ(refusal.message, "duplicate key");
  EXPECT_EQ(refusal.detail, "Key (a)=(1) already exists.");
  EXPECT_EQ(refusal.table, "book");
  EXPECT_EQ(refusal.constraint, "book_key");
  EXPECT_EQ(refusal.function, "f");
  for (std::size_t size = 0; size < body.size(); ++size) {
    EXPECT_TRUE(
        refusal.code.starts_with(read_refusal(std::string_view(body).substr(0, size)).code));
  }
}

TEST(Messages, are_written_as_the_protocol_has_them) {
  Parameters values;
  values.clear(2);
  const std::vector<Value> given = {Value(std::int64_t{7}), Value()};
  const std::vector<Oid> types = {23, 25};
  values.add(given, types);
  MessageWriter writer;
  writer.parse("p", "select $1"s + "\0cut"s, types);
  writer.bind("p", values, 0, 2, Format::binary);
  writer.describe(MessageWriter::Described::portal, {});
  writer.execute();
  writer.sync();
  EXPECT_EQ(writer.waiting(),
            message('P', "p\0select $1\0\0\2\0\0\0\x17\0\0\0\x19"s) +
                message('B', "\0p\0\0\2\0\1\0\0\0\2\0\0\0\4\0\0\0\7\xff\xff\xff\xff\0\1\0\1"s) +
                message('D', "P\0"s) + message('E', "\0\0\0\0\0"s) + message('S', ""));
  const std::string all(writer.waiting());
  writer.note_left(3);
  EXPECT_EQ(writer.waiting(), all.substr(3));
  writer.note_left(writer.waiting().size());
  EXPECT_TRUE(writer.waiting().empty());
  EXPECT_TRUE(writer.is_good());
}

TEST(PostgresErrors, do_not_take_a_line_from_a_text_that_the_context_quotes) {
  const std::string_view script = "do $$\nbegin null; end $$; select f()";
  const auto line_of = [script](const std::string& number) {
    Refusal refusal{};
    const std::string context = "PL/pgSQL function inline_code_block line " + number;
    refusal.context = context;
    return failure_of_script(refusal, script).by().line;
  };
  EXPECT_EQ(line_of("2"), 2);
  EXPECT_EQ(line_of("3"), 0);
  EXPECT_EQ(line_of("9000000000000000000"), 0);
}

}  // namespace
}  // namespace eider::db::postgres
