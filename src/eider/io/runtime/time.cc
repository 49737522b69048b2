#include "eider/io/runtime/time.h"

#include <array>
#include <charconv>
#include <cstdint>

namespace eider {

namespace {

struct TimeUnit {
  std::string_view name;
  std::int64_t nanoseconds;
};

constexpr std::array<TimeUnit, 7> kTimeUnits = {{{"d", 86'400'000'000'000},
                                                 {"h", 3'600'000'000'000},
                                                 {"m", 60'000'000'000},
                                                 {"s", 1'000'000'000},
                                                 {"ms", 1'000'000},
                                                 {"us", 1'000},
                                                 {"ns", 1}}};

}  // namespace

std::optional<Duration> parse_duration(std::string_view text) noexcept {
  std::int64_t count = 0;
  const char* const end = text.data() + text.size();
  const auto [behind, error] = std::from_chars(text.data(), end, count);
  if (error != std::errc() || count < 0) {
    return std::nullopt;
  }
  const std::string_view name(behind, static_cast<std::size_t>(end - behind));
  for (const TimeUnit& unit : kTimeUnits) {
    if (unit.name == name && count <= Duration::max().count() / unit.nanoseconds) {
      return Duration(count * unit.nanoseconds);
    }
  }
  return std::nullopt;
}

std::string format_duration(Duration duration) {
  const std::int64_t count = duration.count();
  for (const TimeUnit& unit : kTimeUnits) {
    if (count != 0 && count % unit.nanoseconds == 0) {
      return std::to_string(count / unit.nanoseconds).append(unit.name);
    }
  }
  return "0s";
}

}  // namespace eider
