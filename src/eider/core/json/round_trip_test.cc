// Written values are read back as the same values, for random values.
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <variant>
#include <vector>

#include "eider/core/json/json.h"
#include "eider/core/reflect/compare.h"
#include "eider/core/reflect/constraints.h"

namespace eider::json {
namespace {

using Random = std::mt19937_64;

enum class RoundColor { red, green = 5, blue };
struct RoundCircle {
  double radius;
};
struct Label {
  std::string text;
};
struct Leaf {
  float single;
  std::int16_t small;
};
struct Rich {
  bool flag;
  std::int64_t number;
  std::uint64_t large;
  double real;
  std::string text;
  std::vector<Leaf> leaves;
  std::optional<std::string> maybe;
  std::map<std::string, std::optional<int>> by_name;
  std::array<std::uint8_t, 4> bytes;
  RoundColor color;
  std::variant<RoundCircle, Label> shape;
  Bounded<int, -5, 5> digit;
  Value any;
};

std::size_t below(Random& random, std::size_t bound) {
  return random() % bound;
}

template <class Real, class Bits>
Real any_finite(Random& random) {
  Real real;
  do {
    real = std::bit_cast<Real>(static_cast<Bits>(random()));
  } while (!std::isfinite(real));
  return real;
}

void append_code_point(std::string& text, std::uint32_t point) {
  char escape[32];
  if (point < 0x10000) {
    std::snprintf(escape, sizeof escape, "\"\\u%04x\"", point);
  } else {
    std::snprintf(escape, sizeof escape, "\"\\u%04x\\u%04x\"", 0xD7C0 + (point >> 10),
                  0xDC00 + (point & 0x3FF));
  }
  text += *read<std::string>(escape);
}

std::string any_text(Random& random) {
  constexpr std::uint32_t kBounds[] = {0x20, 0x80, 0x80, 0x80, 0x800, 0x10000, 0x110000};
  std::string text;
  for (std::size_t left = below(random, 30); left > 0; --left) {
    const auto point = static_cast<std::uint32_t>(below(random, kBounds[below(random, 7)]));
    if (point < 0xD800 || point > 0xDFFF) {
      append_code_point(text, point);
    }
  }
  return text;
}

Value any_value(Random& random, std::size_t depth) {
  switch (below(random, depth == 0 ? 6 : 8)) {
    case 0:
      return nullptr;
    case 1:
      return random() % 2 == 0;
    case 2:
      return static_cast<std::int64_t>(random() >> below(random, 64));
    case 3:
      return random();
    case 4:
      return any_finite<double, std::uint64_t>(random);
    case 5:
      return any_text(random);
    case 6: {
      Value list = array({});
      for (std::size_t left = below(random, 5); left > 0; --left) {
        list.push_back(any_value(random, depth - 1));
      }
      return list;
    }
    default: {
      Value made = object({});
      for (std::size_t left = below(random, 5); left > 0; --left) {
        made[any_text(random)] = any_value(random, depth - 1);
      }
      return made;
    }
  }
}

Rich any_rich(Random& random) {
  Rich rich{};
  rich.flag = random() % 2 == 0;
  rich.number = static_cast<std::int64_t>(random());
  rich.large = random() >> below(random, 64);
  rich.real = any_finite<double, std::uint64_t>(random);
  rich.text = any_text(random);
  for (std::size_t left = below(random, 4); left > 0; --left) {
    rich.leaves.push_back(
        {any_finite<float, std::uint32_t>(random), static_cast<std::int16_t>(random())});
    rich.by_name[any_text(random)] = random() % 2 == 0 ? std::optional<int>(7) : std::nullopt;
  }
  if (random() % 2 == 0) {
    rich.maybe = any_text(random);
    rich.shape = Label{any_text(random)};
  }
  rich.bytes = std::bit_cast<std::array<std::uint8_t, 4>>(static_cast<std::uint32_t>(random()));
  rich.color = random() % 2 == 0 ? RoundColor::blue : RoundColor::green;
  rich.digit = static_cast<int>(below(random, 11)) - 5;
  rich.any = any_value(random, 3);
  return rich;
}

TEST(RoundTrip, structs_of_any_content) {
  Random random(20240229);
  for (int i = 0; i < 2000; ++i) {
    const Rich rich = any_rich(random);
    const std::string text = to_text(rich);
    const auto again = read<Rich>(text);
    ASSERT_TRUE(again) << text << again.error().detail();
    ASSERT_TRUE(reflect::equal(rich, *again)) << text << "\n" << to_text(*again);
  }
}

TEST(RoundTrip, values_of_any_shape) {
  Random random(19700101);
  for (int i = 0; i < 3000; ++i) {
    const Value value = any_value(random, 4);
    const std::string text = to_text(value);
    const auto again = read<Value>(text);
    ASSERT_TRUE(again) << text << again.error().detail();
    ASSERT_EQ(*again, value) << text;
    ASSERT_EQ(to_text(*again), text);
  }
}

TEST(RoundTrip, numbers_bit_by_bit) {
  Random random(3);
  for (int i = 0; i < 20000; ++i) {
    const double real = any_finite<double, std::uint64_t>(random);
    const auto again = read<double>(to_text(real));
    ASSERT_TRUE(again);
    ASSERT_EQ(std::bit_cast<std::uint64_t>(*again), std::bit_cast<std::uint64_t>(real));
    const float single = any_finite<float, std::uint32_t>(random);
    ASSERT_EQ(std::bit_cast<std::uint32_t>(*read<float>(to_text(single))),
              std::bit_cast<std::uint32_t>(single));
  }
}

/// A damaged text is either accepted or rejected, and accepted values can be written and read
/// again.
TEST(RoundTrip, damaged_texts_do_no_harm) {
  Random random(4);
  for (int i = 0; i < 5000; ++i) {
    std::string text = to_text(any_rich(random));
    text[below(random, text.size())] = static_cast<char>(random());
    if (const auto rich = read<Rich>(text)) {
      ASSERT_TRUE(read<Rich>(to_text(*rich)));
    }
    if (const auto value = read<Value>(text)) {
      ASSERT_EQ(*read<Value>(to_text(*value)), *value);
    }
  }
}

}  // namespace
}  // namespace eider::json
