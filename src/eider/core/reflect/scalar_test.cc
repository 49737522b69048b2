#include "eider/core/reflect/scalar.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "eider/core/reflect/type_of.h"

namespace eider::reflect {
namespace {

enum class Flags : std::uint8_t { none, all = 100 };

TEST(Scalar, stores_what_fits_and_declines_the_rest) {
  std::int8_t small = 1;
  EXPECT_TRUE(try_store_signed(type_of<std::int8_t>(), &small, -128));
  EXPECT_FALSE(try_store_signed(type_of<std::int8_t>(), &small, 128));
  EXPECT_FALSE(try_store_unsigned(type_of<std::int8_t>(), &small, 128));
  EXPECT_EQ(small, -128);
  std::uint64_t large = 1;
  EXPECT_FALSE(try_store_signed(type_of<std::uint64_t>(), &large, -1));
  EXPECT_TRUE(try_store_unsigned(type_of<std::uint64_t>(), &large, UINT64_MAX));
  EXPECT_EQ(load_unsigned(type_of<std::uint64_t>(), &large), UINT64_MAX);
  std::int64_t wide = 0;
  EXPECT_FALSE(try_store_unsigned(type_of<std::int64_t>(), &wide, UINT64_MAX));
  Flags flags{};
  EXPECT_TRUE(try_store_signed(type_of<Flags>(), &flags, 100));
  EXPECT_FALSE(try_store_signed(type_of<Flags>(), &flags, -1));
  EXPECT_EQ(flags, Flags::all);
}

TEST(Scalar, what_is_too_small_for_a_real_is_zero_and_too_large_is_declined) {
  const char* const tiny[] = {"1e-400",
                              "-1e-400",
                              "0.0000001e-330",
                              "1234567890e-999",
                              "0e999",
                              "1e-99999999999999999999",
                              "12e-9223372036854775807",
                              "0.001e-9223372036854775807"};
  for (const char* const text : tiny) {
    double number = 5;
    EXPECT_EQ(parse_real(type_of<double>(), &number, text), Parsed::kDone) << text;
    EXPECT_EQ(number, 0.0) << text;
  }
  const char* const huge[] = {"1e309",
                              "-1e309",
                              "0.0000001e330",
                              "1e99999999999999999999",
                              "12e9223372036854775807",
                              "0.001e9223372036854775807"};
  for (const char* const text : huge) {
    double number = 5;
    EXPECT_EQ(parse_real(type_of<double>(), &number, text), Parsed::kOutOfRange) << text;
    EXPECT_EQ(number, 5.0) << text;
  }
}

TEST(Scalar, a_long_run_of_digits_is_too_large_and_of_zeros_too_small) {
  double number = 5;
  EXPECT_EQ(parse_real(type_of<double>(), &number, std::string(400, '9')), Parsed::kOutOfRange);
  EXPECT_EQ(parse_real(type_of<double>(), &number, "0." + std::string(400, '0') + "1"),
            Parsed::kDone);
  EXPECT_EQ(number, 0.0);
}

TEST(Scalar, floats_are_rounded_once) {
  float number = 0;  // halfway between two floats as a double, but actually above
  EXPECT_EQ(parse_real(type_of<float>(), &number, "1.00000005960464477540"), Parsed::kDone);
  EXPECT_EQ(number, std::nextafter(1.0F, 2.0F));
}

}  // namespace
}  // namespace eider::reflect
