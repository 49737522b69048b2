#include "eider/core/json/binary.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <initializer_list>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "eider/core/json/read.h"

namespace eider::json {
namespace {

std::string bytes_of(std::string_view hex) {
  std::string bytes;
  for (std::size_t at = 0; at + 1 < hex.size(); at += 2) {
    bytes += static_cast<char>(std::stoi(std::string(hex.substr(at, 2)), nullptr, 16));
  }
  return bytes;
}

std::string hex_of(std::string_view bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string hex;
  for (const char byte : bytes) {
    hex += kDigits[static_cast<unsigned char>(byte) >> 4U];
    hex += kDigits[static_cast<unsigned char>(byte) & 15U];
  }
  return hex;
}

/// Returns JSON text, or "refused" if the bytes are invalid.
std::string read_as_text(BinaryFormat format, std::string_view bytes) {
  Buffer out;
  return read_binary(format, bytes, out) ? "refused" : std::string(out.view());
}

std::string written(BinaryFormat format, const Value& value) {
  std::string out;
  write_binary(format, out, value);
  return out;
}

using Rows = std::initializer_list<std::pair<const char*, const char*>>;

// RFC 8949, appendix A, as far as JSON can represent it.
const Rows kCborExamples = {{"00", "0"},
                            {"17", "23"},
                            {"1818", "24"},
                            {"1903e8", "1000"},
                            {"1a000f4240", "1000000"},
                            {"1b000000e8d4a51000", "1000000000000"},
                            {"1bffffffffffffffff", "18446744073709551615"},
                            {"20", "-1"},
                            {"3903e7", "-1000"},
                            {"3b7fffffffffffffff", "-9223372036854775808"},
                            {"f4", "false"},
                            {"f5", "true"},
                            {"f6", "null"},
                            {"60", "\"\""},
                            {"6161", "\"a\""},
                            {"62225c", "\"\\\"\\\\\""},
                            {"62c3bc", "\"ü\""},
                            {"80", "[]"},
                            {"83010203", "[1,2,3]"},
                            {"8301820203820405", "[1,[2,3],[4,5]]"},
                            {"a0", "{}"},
                            {"a26161016162820203", "{\"a\":1,\"b\":[2,3]}"},
                            {"fa3fc00000", "1.5"},
                            {"fb3ff199999999999a", "1.1"},
                            {"fb7e37e43c8800759c", "1e+300"}};

TEST(Cbor, reads_and_writes_the_examples_of_its_rfc) {
  for (const auto& [hex, text] : kCborExamples) {
    EXPECT_EQ(read_as_text(BinaryFormat::cbor, bytes_of(hex)), text) << hex;
    EXPECT_EQ(hex_of(written(BinaryFormat::cbor, read<Value>(text).value())), hex) << text;
  }
}

TEST(Cbor, reads_what_it_does_not_write) {
  for (const auto& [hex, text] : Rows{{"f90000", "0.0"},
                                      {"f93c00", "1.0"},
                                      {"f97bff", "65504.0"},
                                      {"f90001", "5.960464477539063e-8"},
                                      {"f9c400", "-4.0"},
                                      {"f7", "null"},
                                      {"4401020304", "\"AQIDBA==\""},
                                      {"c11a514b67b0", "1363896240"},
                                      {"5f42010243030405ff", "\"AQIDBAU=\""},
                                      {"7f657374726561646d696e67ff", "\"streaming\""},
                                      {"9fff", "[]"},
                                      {"9f018202039f0405ffff", "[1,[2,3],[4,5]]"},
                                      {"bf61610161629f0203ffff", "{\"a\":1,\"b\":[2,3]}"},
                                      {"1800", "0"},
                                      {"7f7fffff", "refused"}}) {
    const std::string got = read_as_text(BinaryFormat::cbor, bytes_of(hex));
    EXPECT_EQ(read<Value>(got).value_or(Value(got)), read<Value>(text).value_or(Value(text)))
        << hex << " " << got;
  }
}

TEST(Cbor, refuses_what_json_has_no_word_for_and_what_is_broken) {
  for (const char* const hex : {"",
                                "0000",
                                "1c",
                                "1f",
                                "18",
                                "3bffffffffffffffff",
                                "f97c00",
                                "f97e00",
                                "fa7f800000",
                                "fb7ff8000000000000",
                                "61ff",
                                "62c328",
                                "a10102",
                                "a1",
                                "a16161",
                                "ff",
                                "81ff",
                                "f8ff",
                                "f0",
                                "7f6161",
                                "7f4161ff",
                                "9f",
                                "bf6161ff",
                                "c1",
                                "5f",
                                "9bffffffffffffffff",
                                "7bffffffffffffffff"}) {
    EXPECT_EQ(read_as_text(BinaryFormat::cbor, bytes_of(hex)), "refused") << hex;
  }
}

const Rows kMsgpackExamples = {{"00", "0"},
                               {"7f", "127"},
                               {"cc80", "128"},
                               {"cd0100", "256"},
                               {"ce00010000", "65536"},
                               {"cf0000000100000000", "4294967296"},
                               {"cfffffffffffffffff", "18446744073709551615"},
                               {"ff", "-1"},
                               {"e0", "-32"},
                               {"d0df", "-33"},
                               {"d080", "-128"},
                               {"d1ff7f", "-129"},
                               {"d2ffff7fff", "-32769"},
                               {"d3ffffffff7fffffff", "-2147483649"},
                               {"d38000000000000000", "-9223372036854775808"},
                               {"c0", "null"},
                               {"c2", "false"},
                               {"c3", "true"},
                               {"a0", "\"\""},
                               {"a3c3bc61", "\"üa\""},
                               {"90", "[]"},
                               {"93010203", "[1,2,3]"},
                               {"80", "{}"},
                               {"82a16101a1629202c3", "{\"a\":1,\"b\":[2,true]}"},
                               {"ca3fc00000", "1.5"},
                               {"cb3ff199999999999a", "1.1"}};

TEST(Msgpack, reads_and_writes_each_kind_in_its_shortest_form) {
  for (const auto& [hex, text] : kMsgpackExamples) {
    EXPECT_EQ(read_as_text(BinaryFormat::msgpack, bytes_of(hex)), text) << hex;
    EXPECT_EQ(hex_of(written(BinaryFormat::msgpack, read<Value>(text).value())), hex) << text;
  }
}

TEST(Msgpack, refuses_what_json_has_no_word_for_and_what_is_broken) {
  for (const char* const hex :
       {"", "0000", "c1", "d40000", "c70000", "ca7f800000", "cb7ff8000000000000", "a1ff", "810102",
        "81a161", "91", "dd7fffffff", "dfffffffff", "dbffffffff", "c4", "d9", "cf00"}) {
    EXPECT_EQ(read_as_text(BinaryFormat::msgpack, bytes_of(hex)), "refused") << hex;
  }
}

TEST(Binary, long_texts_and_lists_come_back_as_they_were) {
  for (const std::size_t size : {15U, 16U, 23U, 24U, 31U, 32U, 255U, 256U, 65'535U, 65'536U}) {
    const Value value = array({std::string(size, 'a'), Value::Array(size, Value(nullptr))});
    for (const BinaryFormat format : {BinaryFormat::cbor, BinaryFormat::msgpack}) {
      EXPECT_EQ(read_as_text(format, written(format, value)), to_text(value)) << size;
    }
  }
}

TEST(Binary, cut_at_any_byte_is_refused) {
  const Value whole = object({{"text", "abc"},
                              {"numbers", array({1, -1, 300, 1.5, 1.1, -70'000})},
                              {"more", object({{"yes", true}, {"none", nullptr}})}});
  for (const BinaryFormat format : {BinaryFormat::cbor, BinaryFormat::msgpack}) {
    const std::string bytes = written(format, whole);
    EXPECT_EQ(read_as_text(format, bytes), to_text(whole));
    for (std::size_t size = 0; size < bytes.size(); ++size) {
      EXPECT_EQ(read_as_text(format, std::string_view(bytes).substr(0, size)), "refused") << size;
    }
  }
}

TEST(Binary, has_a_bound_to_its_depth) {
  for (const auto& [format, list, map_of_one] :
       {std::tuple(BinaryFormat::cbor, '\x81', std::string("\xA1\x61k")),
        std::tuple(BinaryFormat::msgpack, '\x91', std::string("\x81\xA1k"))}) {
    const std::string deep = std::string(kBinaryDepthMax - 1, list) + '\x01';
    EXPECT_NE(read_as_text(format, deep), "refused");
    EXPECT_EQ(read_as_text(format, list + deep), "refused");
    EXPECT_EQ(read_as_text(format, std::string(100'000, list)), "refused");
    std::string maps;
    for (int level = 0; level < 100'000; ++level) {
      maps += map_of_one;
    }
    EXPECT_EQ(read_as_text(format, maps), "refused");
  }
  EXPECT_EQ(read_as_text(BinaryFormat::cbor, std::string(100'000, '\xC1')), "refused");
}

}  // namespace
}  // namespace eider::json
