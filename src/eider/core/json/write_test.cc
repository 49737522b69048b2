#include "eider/core/json/write.h"

#include <gtest/gtest.h>

#include <array>
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
    Buffer out;  // under AddressSanitizer a byte too many is fatal
    write_string(out, std::string(size, size % 3 == 0 ? '\x01' : 'a'));
    EXPECT_EQ(out.size(), 2 + size * (size % 3 == 0 ? 6 : 1));
  }
}

}  // namespace
}  // namespace eider::json
