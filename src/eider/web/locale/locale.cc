#include "eider/web/locale/locale.h"

#include <algorithm>
#include <array>
#include <concepts>
#include <optional>
#include <utility>

#include "eider/core/base/failure.h"
#include "eider/web/locale/formatters.h"

namespace eider {

namespace {

using detail::locale::Unit;
using std::chrono::duration_cast;

constexpr std::string_view kEnglish = "en";

/// Returns whether the text is a decimal number: ICU also accepts "NaN", "1e9" and " 1".
bool is_decimal(std::string_view digits) noexcept {
  digits.remove_prefix(digits.starts_with('-') ? 1 : 0);
  const std::size_t point = std::min(digits.find('.'), digits.size());
  const auto has_digits = [](std::string_view text) {
    return !text.empty() && text.find_first_not_of("0123456789") == text.npos;
  };
  return has_digits(digits.substr(0, point)) &&
         (point == digits.size() || has_digits(digits.substr(point + 1)));
}

std::string checked(std::string_view digits) {
  if (!is_decimal(digits)) {
    throw Failure(Error::internal("Not a decimal number: " + std::string(digits)));
  }
  return std::string(digits);
}

/// Returns the decimal places for an ICU number skeleton: ".00#" for two to three.
std::string places(int least, int most) {
  constexpr int kPlacesMax = 30;
  least = std::clamp(least, 0, kPlacesMax);
  most = std::clamp(most, least, kPlacesMax);
  return most == 0 ? "precision-integer"
                   : "." + std::string(static_cast<std::size_t>(least), '0') +
                         std::string(static_cast<std::size_t>(most - least), '#');
}

std::string skeleton_of(NumberForm form) {
  return form.is_compact ? "compact-short" : places(form.decimals_min, form.decimals_max);
}

bool is_currency(std::string_view code) noexcept {
  return code.size() == 3 &&
         std::ranges::all_of(code, [](char letter) { return letter >= 'A' && letter <= 'Z'; });
}

std::string canonical(std::string_view zone) {
  auto known = detail::locale::find_zone(zone);
  if (!known) {
    throw Failure(Error::internal("Unknown time zone: " + std::string(zone)));
  }
  return *std::move(known);
}

struct Span {
  Unit unit;
  std::chrono::seconds length;
};
constexpr std::array<Span, 7> kSpans = {{{Unit::year, std::chrono::days(365)},
                                         {Unit::month, std::chrono::days(30)},
                                         {Unit::week, std::chrono::days(7)},
                                         {Unit::day, std::chrono::days(1)},
                                         {Unit::hour, std::chrono::hours(1)},
                                         {Unit::minute, std::chrono::minutes(1)},
                                         {Unit::second, std::chrono::seconds(1)}}};

template <class Self>
decltype(auto) locale_of(const ValueFormats<Self>& formats) {
  if constexpr (std::same_as<Self, Locale>) {
    return static_cast<const Locale&>(formats);
  } else {
    return Locale(static_cast<const Self&>(formats).language());
  }
}

}  // namespace

Locale::Locale(std::string_view tag, std::string_view zone)
    : tag_(detail::locale::find_tag(tag).value_or(std::string(kEnglish))), zone_(canonical(zone)) {}

bool Locale::is_zone(std::string_view zone) {
  return detail::locale::find_zone(zone).has_value();
}

Locale Locale::in_zone(std::string_view zone) const {
  Locale other = *this;
  other.zone_ = canonical(zone);
  return other;
}

template <class Self>
std::string ValueFormats<Self>::number(double value, NumberForm form) const {
  const Locale& here = locale_of(*this);
  return detail::locale::format_number(here.tag_, skeleton_of(form), value);
}

template <class Self>
std::string ValueFormats<Self>::decimal(std::string_view digits, NumberForm form) const {
  const Locale& here = locale_of(*this);
  return detail::locale::format_decimal(here.tag_, skeleton_of(form), checked(digits));
}

template <class Self>
std::string ValueFormats<Self>::percent(double share, int decimals) const {
  const Locale& here = locale_of(*this);
  return detail::locale::format_number(here.tag_, "percent scale/100 " + places(decimals, decimals),
                                       share);
}

template <class Self>
std::string ValueFormats<Self>::money(std::string_view digits, std::string_view currency) const {
  const Locale& here = locale_of(*this);
  if (!is_currency(currency)) {
    throw Failure(Error::internal("Unknown currency: " + std::string(currency)));
  }
  return detail::locale::format_decimal(here.tag_, "currency/" + std::string(currency),
                                        checked(digits));
}

template <class Self>
std::string ValueFormats<Self>::date(Moment when, TimeLength length) const {
  const Locale& here = locale_of(*this);
  return detail::locale::format_time(here.tag_, here.zone_, {.date = length}, when);
}

template <class Self>
std::string ValueFormats<Self>::date(std::chrono::year_month_day day, TimeLength length) const {
  const Locale& here = locale_of(*this);
  return detail::locale::format_time(here.tag_, "UTC", {.date = length},
                                     std::chrono::sys_days(day));
}

template <class Self>
std::string ValueFormats<Self>::time(Moment when, TimeLength length) const {
  const Locale& here = locale_of(*this);
  return detail::locale::format_time(here.tag_, here.zone_, {.time = length}, when);
}

template <class Self>
std::string ValueFormats<Self>::date_time(Moment when, TimeLength length) const {
  const Locale& here = locale_of(*this);
  return detail::locale::format_time(here.tag_, here.zone_,
                                     {.date = length, .time = TimeLength::brief}, when);
}

template <class Self>
std::string ValueFormats<Self>::relative(Moment when, Moment now) const {
  const Locale& here = locale_of(*this);
  // Converted separately, because the difference of two times in milliseconds might overflow.
  const auto seconds = duration_cast<std::chrono::seconds>(when.time_since_epoch()) -
                       duration_cast<std::chrono::seconds>(now.time_since_epoch());
  for (const Span& span : kSpans) {
    const auto count = seconds / span.length;
    if (count != 0 || span.unit == Unit::second) {
      return detail::locale::format_relative(here.tag_, static_cast<double>(count), span.unit);
    }
  }
  return {};
}

template class ValueFormats<Locale>;
// Declared in languages.h, whose component does not contain ICU.
template class ValueFormats<Translator>;

Locale Extract<Locale>::from(const Translator& translator) {
  return Locale(translator.language());
}

namespace locale {

std::string number(double value, std::string_view tag) {
  return Locale(tag).number(value);
}

std::string percent(double share, std::string_view tag) {
  return Locale(tag).percent(share);
}

std::string money(std::string_view digits, std::string_view currency, std::string_view tag) {
  return Locale(tag).money(digits, currency);
}

std::string date_in(Locale::Moment when, std::string_view tag, std::string_view zone) {
  return Locale(tag, zone).date(when);
}

std::string time_in(Locale::Moment when, std::string_view tag, std::string_view zone) {
  return Locale(tag, zone).time(when);
}

}  // namespace locale

}  // namespace eider
