// Formatters of ICU, created once for each thread and format.
// Layering: must only be used with checked values.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "eider/web/locale/locale.h"

namespace eider::detail::locale {

enum class Unit : std::uint8_t { year, month, week, day, hour, minute, second };

struct TimeForm {
  std::optional<TimeLength> date = {};
  std::optional<TimeLength> time = {};
};

/// Returns the tag as CLDR writes it, "de-CH"; nothing for an invalid tag, or a language without
/// data.
[[nodiscard]] std::optional<std::string> find_tag(std::string_view tag);
/// Returns the zone as IANA writes it; nothing for an invalid one.
[[nodiscard]] std::optional<std::string> find_zone(std::string_view zone);

/// skeleton  an ICU number skeleton: "currency/CHF"
[[nodiscard]] std::string format_number(const std::string& tag, const std::string& skeleton,
                                        double value);
[[nodiscard]] std::string format_decimal(const std::string& tag, const std::string& skeleton,
                                         const std::string& digits);
[[nodiscard]] std::string format_time(const std::string& tag, const std::string& zone,
                                      TimeForm form, Locale::Moment when);
[[nodiscard]] std::string format_relative(const std::string& tag, double count, Unit unit);

}  // namespace eider::detail::locale
