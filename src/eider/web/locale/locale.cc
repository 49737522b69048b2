#include "eider/web/locale/locale.h"

#include <algorithm>
#include <array>
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

std::string Locale::number(double value, NumberForm form) const {
  return detail::locale::format_number(tag_, skeleton_of(form), value);
}

std::string Locale::decimal(std::string_view digits, NumberForm form) const {
  return detail::locale::format_decimal(tag_, skeleton_of(form), checked(digits));
}

std::string Locale::percent(double share, int decimals) const {
  return detail::locale::format_number(tag_, "percent scale/100 " + places(decimals, decimals),
                                       share);
}

std::string Locale::money(std::string_view digits, std::string_view currency) const {
  if (!is_currency(currency)) {
    throw Failure(Error::internal("Unknown currency: " + std::string(currency)));
  }
  return detail::locale::format_decimal(tag_, "currency/" + std::string(currency), checked(digits));
}

std::string Locale::date(Moment when, TimeLength length) const {
  return detail::locale::format_time(tag_, zone_, {.date = length}, when);
}

std::string Locale::date(std::chrono::year_month_day day, TimeLength length) const {
  return detail::locale::format_time(tag_, "UTC", {.date = length}, std::chrono::sys_days(day));
}

std::string Locale::time(Moment when, TimeLength length) const {
  return detail::locale::format_time(tag_, zone_, {.time = length}, when);
}

std::string Locale::date_time(Moment when, TimeLength length) const {
  return detail::locale::format_time(tag_, zone_, {.date = length, .time = TimeLength::brief},
                                     when);
}

std::string Locale::relative(Moment when, Moment now) const {
  // Converted separately, because the difference of two times in milliseconds might overflow.
  const auto seconds = duration_cast<std::chrono::seconds>(when.time_since_epoch()) -
                       duration_cast<std::chrono::seconds>(now.time_since_epoch());
  for (const Span& span : kSpans) {
    const auto count = seconds / span.length;
    if (count != 0 || span.unit == Unit::second) {
      return detail::locale::format_relative(tag_, static_cast<double>(count), span.unit);
    }
  }
  return {};
}

// Declared in languages.h, whose component does not contain ICU.

std::string Translator::number(double value, NumberForm form) const {
  return Locale(language()).number(value, form);
}

std::string Translator::decimal(std::string_view digits, NumberForm form) const {
  return Locale(language()).decimal(digits, form);
}

std::string Translator::percent(double share, int decimals) const {
  return Locale(language()).percent(share, decimals);
}

std::string Translator::money(std::string_view digits, std::string_view currency) const {
  return Locale(language()).money(digits, currency);
}

std::string Translator::date(Moment when, TimeLength length) const {
  return Locale(language()).date(when, length);
}

std::string Translator::date(std::chrono::year_month_day day, TimeLength length) const {
  return Locale(language()).date(day, length);
}

std::string Translator::time(Moment when, TimeLength length) const {
  return Locale(language()).time(when, length);
}

std::string Translator::date_time(Moment when, TimeLength length) const {
  return Locale(language()).date_time(when, length);
}

std::string Translator::relative(Moment when, Moment now) const {
  return Locale(language()).relative(when, now);
}

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
