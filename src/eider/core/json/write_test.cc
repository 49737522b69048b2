#include "eider/core/json/write.h"

#include <gtest/gtest.h>

#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "eider/core/json/read.h"
#include "eider/core/json/value.h"
#include "eider/core/reflect/constraints.h"

namespace eider::json {
namespace {

enum class WrittenColor : std::uint8_t { red, green };
struct Message {
  const char* message;
};
struct WrittenCircle {
  double radius;
};
struct Empty {};
struct Maybe {
  std::optional<int> a;
  std::optional<int> b;
};
struct WrittenKinds {
  bool flag = true;
  std::int8_t small = -128;
  std::uint64_t large = UINT64_MAX;
  std::string_view view = "v";
  std::vector<std::optional<int>> maybes = {1, std::nullopt};
  std::map<std::string, Empty> by_name = {{"a\"", {}}, {"b", {}}};
  std::array<float, 2> pair = {0.1F, 16777216.0F};
  WrittenColor color = WrittenColor::green;
  std::variant<WrittenCircle, Empty> shape = WrittenCircle{0.5};
  Bounded<int, 0, 9> digit = 3;
};

TEST(Write, members_in_order_and_nothing_between) {
  EXPECT_EQ(to_text(WrittenKinds()),
            R"({"flag":true,"small":-128,"large":18446744073709551615,"view":"v",)"
            R"("maybes":[1,null],"by_name":{"a\"":{},"b":{}},"pair":[0.1,16777216.0],)"
            R"("color":"green","shape":{"type":"WrittenCircle","radius":0.5},"digit":3})");
}

TEST(Write, appends_to_what_the_buffer_holds) {
  Buffer out;
  out.append("data: ");
  write(out, Message{"Hello, World!"});
  EXPECT_EQ(out.view(), R"(data: {"message":"Hello, World!"})");
}

/// Formats a number with std::to_chars, and adds ".0" to an integer.
std::string by_to_chars(double number) {
  std::array<char, 32> text{};
  std::string written(text.data(), std::to_chars(text.data(), &text.back(), number).ptr);
  return written.find_first_of(".e") == written.npos ? written + ".0" : written;
}

TEST(Write, a_number_of_few_decimals_is_as_short_as_any_other) {
  for (const double number :
       {0.0,       -0.0,      0.1,      0.5,         -12.25,           0.001,
        0.0012,    0.00099,   0.000999, 0.0000001,   1.000001,         1.0000001,
        0.3 - 0.1, 0.1 + 0.2, 99999.0,  100000.0,    100001.0,         123450.0,
        120000.0,  1200000.5, 1e8,      999999999.0, 999999999.999999, 999999999.9999999,
        1e9,       1e9 + 0.5, 1e300,    5e-324}) {
    EXPECT_EQ(to_text(number), by_to_chars(number));
  }
  std::uint64_t state = 1;
  for (int i = 0; i < 100'000; ++i) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    const auto digits = static_cast<double>(state >> (20 + i % 44));
    const double number = (i % 2 == 0 ? digits : -digits) / std::pow(10, i % 9);
    EXPECT_EQ(to_text(number), by_to_chars(number));
  }
}

TEST(Write, integers_of_any_length) {
  for (std::uint64_t number = 1; number < UINT64_MAX / 7; number = number * 7 + number % 3) {
    for (const std::uint64_t each : {number - 1, number, number * 7}) {
      EXPECT_EQ(to_text(each), std::to_string(each));
      const auto negative = -static_cast<std::int64_t>(each >> 1);
      EXPECT_EQ(to_text(negative), std::to_string(negative));
    }
  }
  EXPECT_EQ(to_text(INT64_MIN), "-9223372036854775808");
  EXPECT_EQ(to_text(std::int8_t{-128}), "-128");
}

TEST(Write, strings_of_any_length_with_one_byte_to_escape_anywhere) {
  for (std::size_t size = 0; size < 40; ++size) {
    const std::string plain(size, '\x7f');
    EXPECT_EQ(to_text(plain), '"' + plain + '"');
    for (std::size_t i = 0; i < size; ++i) {
      const std::string before = plain.substr(0, i);
      const std::string behind = plain.substr(i + 1);
      EXPECT_EQ(to_text(before + '"' + behind), '"' + before + "\\\"" + behind + '"');
      EXPECT_EQ(to_text(before + '\\' + behind), '"' + before + "\\\\" + behind + '"');
      EXPECT_EQ(to_text(before + '\x1f' + behind), '"' + before + "\\u001f" + behind + '"');
      EXPECT_EQ(to_text(before + "é" + behind), '"' + before + "é" + behind + '"');
      EXPECT_EQ(to_text(before + '\xff' + behind), '"' + before + "\xEF\xBF\xBD" + behind + '"');
    }
  }
}

TEST(Write, empty_optionals_are_left_out) {
  EXPECT_EQ(to_text(Maybe{}), "{}");
  EXPECT_EQ(to_text(Maybe{std::nullopt, 2}), R"({"b":2})");
  EXPECT_EQ(to_text(std::optional<int>()), "null");
}

TEST(Write, what_json_cannot_say_has_a_substitute) {
  EXPECT_EQ(to_text(std::numeric_limits<double>::quiet_NaN()), "null");
  EXPECT_EQ(to_text(-std::numeric_limits<float>::infinity()), "null");
  EXPECT_EQ(to_text(Message{nullptr}), R"({"message":null})");
  EXPECT_EQ(to_text(static_cast<WrittenColor>(200)), "200");
  EXPECT_EQ(to_text(std::string("a\xFF\x80z")), "\"a\uFFFD\uFFFDz\"");
  EXPECT_EQ(to_text(std::string("é\xE2\x82")), "\"é\uFFFD\uFFFD\"");
  EXPECT_EQ(to_text(std::string("\xED\xA0\x80")), "\"\uFFFD\uFFFD\uFFFD\"");
}

TEST(Write, numbers_have_the_fewest_digits_that_read_back) {
  EXPECT_EQ(to_text(0.1), "0.1");
  EXPECT_EQ(to_text(0.1F), "0.1");
  EXPECT_EQ(to_text(1.0), "1.0");
  EXPECT_EQ(to_text(-0.0), "-0.0");
  EXPECT_EQ(to_text(1e100), "1e+100");
  EXPECT_EQ(to_text(5e-324), "5e-324");
  EXPECT_EQ(to_text(std::numeric_limits<double>::lowest()), "-1.7976931348623157e+308");
}

/// Escapes byte by byte: slow, and too simple to be wrong.
std::string escaped(std::string_view text) {
  std::string out = "\"";
  for (const char byte : text) {
    const std::size_t special = std::string_view("\b\f\n\r\t\"\\").find(byte);
    char buffer[8];
    if (special != std::string_view::npos) {
      out += {'\\', "bfnrt\"\\"[special]};
    } else if (static_cast<unsigned char>(byte) < 0x20) {
      std::snprintf(buffer, sizeof buffer, "\\u%04x", byte);
      out += buffer;
    } else {
      out += byte;
    }
  }
  return out + "\"";
}

TEST(Write, every_byte_is_escaped_at_every_place_of_every_length) {
  for (std::size_t size = 1; size <= 40; ++size) {
    for (std::size_t at = 0; at < size; ++at) {
      for (int byte = 0; byte < 0x80; ++byte) {
        std::string text(size, 'a');
        text[at] = static_cast<char>(byte);
        ASSERT_EQ(to_text(text), escaped(text)) << size << " " << at << " " << byte;
      }
    }
  }
}

TEST(Write, text_of_other_alphabets_is_kept_and_escaped_alike) {
  for (std::size_t before = 0; before < 20; ++before) {
    for (std::size_t after = 0; after < 20; ++after) {
      const std::string text =
          std::string(before, 'x') + "é\"€\n😀" + std::string(after, 'y') + "\\";
      ASSERT_EQ(to_text(text), escaped(text));
    }
  }
}

TEST(Write, nothing_is_written_beyond_what_was_reserved) {
  for (std::size_t size = 0; size < 300; ++size) {
    Buffer out;  // AddressSanitizer reports a byte too many
    write_string(out, std::string(size, size % 3 == 0 ? '\x01' : 'a'));
    EXPECT_EQ(out.size(), 2 + size * (size % 3 == 0 ? 6 : 1));
  }
}

}  // namespace
}  // namespace eider::json
