#include "eider/data/db/postgres/array_codec.h"

#include <gtest/gtest.h>

#include <random>

#include "eider/data/db/failure.h"
#include "eider/data/db/postgres/types.h"

namespace eider::db::postgres {
namespace {

constexpr Oid kInt4Array = 1007;
constexpr Oid kTextArray = 1009;

/// Returns the elements joined with '|', "(null)" for NULL, or "refused" for invalid bytes.
std::string read(Oid type, Format format, std::string_view bytes) {
  CellRoom room;
  try {
    const Cell cell = read_cell(type, format, bytes, room);
    std::string joined;
    for (const Cell& one : cell.list->elements) {
      joined += joined.empty() ? "" : "|";
      joined += one.kind == Value::Kind::null      ? "(null)"
                : one.kind == Value::Kind::integer ? std::to_string(one.integer)
                                                   : std::string(one.bytes);
    }
    return joined;
  } catch (const Failure& failure) {
    return std::string(failure.what()).contains("dimension") ? "dimensions" : "refused";
  }
}

const ArrayElements kTexts = {"a", "", std::nullopt, "NULL", "x,y", "{\"q\"} \\ \n", "ä"};
const std::string kJoined = "a||(null)|NULL|x,y|{\"q\"} \\ \n|ä";

TEST(ArrayCodec, what_is_written_is_read) {
  EXPECT_EQ(read(kTextArray, Format::binary, write_array(kText, kTexts)), kJoined);
  EXPECT_EQ(read(kTextArray, Format::text, write_array_text(kTexts)), kJoined);
  EXPECT_EQ(read(kTextArray, Format::binary, write_array(kText, {})), "");
  EXPECT_EQ(read(kTextArray, Format::text, "{}"), "");
  EXPECT_EQ(write_array_text(kTexts), "{a,\"\",NULL,\"NULL\",\"x,y\",\"{\\\"q\\\"} \\\\ \n\",ä}");
}

TEST(ArrayCodec, a_text_of_an_array_is_read_as_the_server_writes_it) {
  const struct {
    const char* text;
    const char* elements;
  } kCases[] = {
      {"{1,2,NULL}", "1|2|(null)"},
      {"[0:2]={-1,2,3}", "-1|2|3"},
      {"{{1,2},{3,4}}", "dimensions"},
      {"[1:1][1:1]={{1}}", "dimensions"},
      {"", "refused"},
      {"{", "refused"},
      {"}", "refused"},
      {"{1", "refused"},
      {"{1,", "refused"},
      {"{1,}", "refused"},
      {"{,1}", "refused"},
      {"{1}2", "refused"},
      {"{}}", "refused"},
      {"{1 2}", "refused"},
      {"{\"1", "refused"},
      {"{\"1\\", "refused"},
      {"{\"1\"2}", "refused"},
      {"{\"1\"{2}}", "refused"},
      {"[", "refused"},
      {"[1:2]", "refused"},
      {"[1:2]=", "refused"},
      {"{x}", "refused"},
  };
  for (const auto& [text, elements] : kCases) {
    EXPECT_EQ(read(kInt4Array, Format::text, text), elements) << text;
  }
}

TEST(ArrayCodec, an_array_that_is_cut_anywhere_is_refused) {
  for (const bool is_binary : {true, false}) {
    const std::string whole = is_binary ? write_array(kText, kTexts) : write_array_text(kTexts);
    const Format format = is_binary ? Format::binary : Format::text;
    for (std::size_t bytes = 0; bytes < whole.size(); ++bytes) {
      EXPECT_EQ(read(kTextArray, format, std::string_view(whole).substr(0, bytes)), "refused")
          << bytes;
    }
    EXPECT_EQ(read(kTextArray, format, whole + "x"), "refused");
  }
}

TEST(ArrayCodec, no_length_that_the_server_sends_is_trusted) {
  const std::string whole = write_array(kInt4, {std::string_view("\0\0\0\1", 4)});
  const std::size_t kPlaces[] = {0, 8, 12, 20};  // dimensions, type, count, length of the element
  for (const std::size_t place : kPlaces) {
    for (const char byte : {'\x7f', '\x80', '\xff'}) {
      std::string spoilt = whole;
      spoilt[place] = byte;
      EXPECT_NE(read(kInt4Array, Format::binary, spoilt), "1") << place;
    }
  }
  std::string two = whole;
  two[3] = 2;
  EXPECT_EQ(read(kInt4Array, Format::binary, two), "dimensions");
}

TEST(ArrayCodec, whatever_comes_is_read_or_refused) {
  std::minstd_rand random(1);
  const std::string texts = write_array_text(kTexts);
  const std::string binary = write_array(kText, kTexts);
  for (int i = 0; i < 20'000; ++i) {
    std::string changed = i % 2 == 0 ? texts : binary;
    for (int k = 0; k < 3; ++k) {
      changed[random() % changed.size()] = static_cast<char>(random());
    }
    changed.resize(random() % 4 == 0 ? random() % changed.size() : changed.size());
    (void)read(kTextArray, i % 2 == 0 ? Format::text : Format::binary, changed);
    (void)read(1231, i % 2 == 0 ? Format::text : Format::binary, changed);  // numeric[]
  }
}

}  // namespace
}  // namespace eider::db::postgres
