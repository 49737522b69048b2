#include "eider/cli/bench/duration.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>

namespace eider::bench {

namespace {

struct Unit {
  std::string_view name;
  double nanoseconds;
};

constexpr std::array<Unit, 6> kUnits = {
    {{"us", 1e3}, {"ms", 1e6}, {"s", 1e9}, {"m", 60e9}, {"h", 3600e9}, {"", 1e9}}};
constexpr double kLeast = 1e3;
constexpr double kMost = 24 * 3600e9;

std::string three_digits(double value, std::string_view unit) {
  const int decimals = value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
  return fmt::format("{:.{}f} {}", value, decimals, unit);
}

}  // namespace

std::optional<Duration> read_duration(std::string_view text) noexcept {
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, value, std::chars_format::fixed);
  if (read.ec != std::errc()) {
    return std::nullopt;
  }
  const std::string_view name(read.ptr, static_cast<std::size_t>(end - read.ptr));
  for (const Unit& unit : kUnits) {
    const double nanoseconds = value * unit.nanoseconds;
    if (unit.name == name && nanoseconds >= kLeast && nanoseconds <= kMost) {
      return Duration(std::llround(nanoseconds));
    }
  }
  return std::nullopt;
}

std::string to_text(Duration duration) {
  const auto nanoseconds = static_cast<double>(duration.count());
  if (nanoseconds < 999.5e3) {
    return three_digits(nanoseconds / 1e3, "us");
  }
  return nanoseconds < 999.5e6 ? three_digits(nanoseconds / 1e6, "ms")
                               : three_digits(nanoseconds / 1e9, "s");
}

}  // namespace eider::bench
