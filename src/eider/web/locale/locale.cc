#include "eider/web/locale/locale.h"

#include <unicode/ucal.h>
#include <unicode/udat.h>
#include <unicode/uloc.h>
#include <unicode/unumberformatter.h>
#include <unicode/ureldatefmt.h>
#include <unicode/ustring.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <concepts>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "eider/core/base/failure.h"
#include "eider/core/base/text.h"

namespace eider::detail::locale {

namespace {

enum class Unit : std::uint8_t { year, month, week, day, hour, minute, second };

struct TimeForm {
  std::optional<TimeLength> date = {};
  std::optional<TimeLength> time = {};
};

/// Maximum length of names from clients: "America/Argentina/ComodRivadavia" has 32 bytes.
constexpr std::size_t kNameBytesMax = 100;
/// Maximum number of formatters of a kind per thread; if there are more, such as for zones from
/// clients, all are deleted.
constexpr std::size_t kKeptMax = 256;
/// Maximum size in UTF-16 of a formatted text: a number, or a date in its longest form.
constexpr std::int32_t kUnitsMax = 512;

void expect(UErrorCode status, const char* what) {
  if (U_FAILURE(status) != 0) {
    throw Failure(Error::internal(std::string("ICU: ") + what + ": " + u_errorName(status)));
  }
}

template <class T, auto kClose>
struct Closer {
  void operator()(T* open) const noexcept { kClose(open); }
};
template <class T, auto kClose>
using Handle = std::unique_ptr<T, Closer<T, kClose>>;

using Numbers = Handle<UNumberFormatter, unumf_close>;
using Dates = Handle<UDateFormat, udat_close>;
using Calendar = Handle<UCalendar, ucal_close>;
using Relatives = Handle<URelativeDateTimeFormatter, ureldatefmt_close>;
using Text16 = std::array<UChar, kUnitsMax>;

std::u16string to_utf16(std::string_view text) {
  return {text.begin(), text.end()};  // ASCII: skeletons and names of zones
}

std::string to_utf8(const UChar* text, std::int32_t units) {
  std::string made(static_cast<std::size_t>(units) * 3, ' ');
  std::int32_t bytes = 0;
  UErrorCode status = U_ZERO_ERROR;
  u_strToUTF8(made.data(), static_cast<std::int32_t>(made.size()), &bytes, text, units, &status);
  expect(status, "a text");
  made.resize(static_cast<std::size_t>(bytes));
  return made;
}

/// Converts a BCP 47 tag to an ICU locale name, with '_' and '@', for each new formatter.
std::string icu_name(std::string_view tag) {
  std::array<char, ULOC_FULLNAME_CAPACITY> name{};
  UErrorCode status = U_ZERO_ERROR;
  std::int32_t read = 0;
  const std::string text(tag);
  uloc_forLanguageTag(text.c_str(), name.data(), ULOC_FULLNAME_CAPACITY, &read, &status);
  const bool is_whole = static_cast<std::size_t>(read) == text.size();
  return U_FAILURE(status) != 0 || !is_whole ? std::string() : std::string(name.data());
}

std::set<std::string, std::less<>> languages_of_icu() {
  std::set<std::string, std::less<>> languages;
  for (std::int32_t index = 0; index < uloc_countAvailable(); ++index) {
    const std::string_view name = uloc_getAvailable(index);
    languages.emplace(name.substr(0, name.find('_')));
  }
  return languages;
}

/// Returns this thread's object for the key, creating it if needed.
template <class Kept, class Make>
Kept& kept(std::string key, Make make) {
  thread_local std::map<std::string, Kept, std::less<>> all;
  const auto found = all.find(key);
  if (found != all.end()) {
    return found->second;
  }
  if (all.size() == kKeptMax) {
    all.clear();
  }
  return all.emplace(std::move(key), make()).first->second;
}

UNumberFormatter& numbers(const std::string& tag, const std::string& skeleton) {
  return *kept<Numbers>(tag + ' ' + skeleton, [&] {
    const std::u16string wanted = to_utf16(skeleton);
    UErrorCode status = U_ZERO_ERROR;
    Numbers made(unumf_openForSkeletonAndLocale(
        wanted.data(), static_cast<std::int32_t>(wanted.size()), icu_name(tag).c_str(), &status));
    expect(status, skeleton.c_str());
    return made;
  });
}

/// format  writes the number into the given result
template <class Format>
std::string formatted(Format format) {
  UErrorCode status = U_ZERO_ERROR;
  const Handle<UFormattedNumber, unumf_closeResult> result(unumf_openResult(&status));
  format(result.get(), &status);
  Text16 text;
  const std::int32_t units = unumf_resultToString(result.get(), text.data(), kUnitsMax, &status);
  expect(status, "a number");
  return to_utf8(text.data(), units);
}

UDateFormatStyle style_of(std::optional<TimeLength> length) noexcept {
  if (!length) {
    return UDAT_NONE;
  }
  constexpr std::array<UDateFormatStyle, 4> kStyles = {UDAT_SHORT, UDAT_MEDIUM, UDAT_LONG,
                                                       UDAT_FULL};
  return kStyles[static_cast<std::size_t>(*length)];
}

/// Returns the tag as CLDR writes it, "de-CH"; nothing for an invalid tag, or a language without
/// data.
std::optional<std::string> find_tag(std::string_view tag) {
  static const std::set<std::string, std::less<>> kLanguages = languages_of_icu();
  const bool is_text = !tag.empty() && tag.size() <= kNameBytesMax && !tag.contains('\0');
  const bool is_known = is_text && kLanguages.contains(tag.substr(0, tag.find('-')));
  return is_known && !icu_name(tag).empty() ? std::optional(std::string(tag)) : std::nullopt;
}

/// Returns the zone as IANA writes it; nothing for an invalid one.
std::optional<std::string> find_zone(std::string_view zone) {
  const bool is_text = std::ranges::all_of(zone, [](char byte) {
    return is_letter(byte) || is_digit(byte) || std::string_view("/_+-").contains(byte);
  });
  if (zone.empty() || zone.size() > kNameBytesMax || !is_text) {
    return std::nullopt;
  }
  const std::u16string name = to_utf16(zone);
  Text16 known;
  UBool is_of_system = 0;
  UErrorCode status = U_ZERO_ERROR;
  ucal_getCanonicalTimeZoneID(name.data(), static_cast<std::int32_t>(name.size()), known.data(),
                              kUnitsMax, &is_of_system, &status);
  // "GMT+3" is a zone for ICU, but not an IANA zone.
  const bool is_known = U_FAILURE(status) == 0 && is_of_system != 0;
  return is_known ? std::optional(std::string(zone)) : std::nullopt;
}

/// skeleton  an ICU number skeleton: "currency/CHF"
std::string format_number(const std::string& tag, const std::string& skeleton, double value) {
  const UNumberFormatter& by = numbers(tag, skeleton);
  return formatted([&](UFormattedNumber* result, UErrorCode* status) {
    unumf_formatDouble(&by, value, result, status);
  });
}

std::string format_decimal(const std::string& tag, const std::string& skeleton,
                           const std::string& digits) {
  const UNumberFormatter& by = numbers(tag, skeleton);
  return formatted([&](UFormattedNumber* result, UErrorCode* status) {
    unumf_formatDecimal(&by, digits.data(), static_cast<std::int32_t>(digits.size()), result,
                        status);
  });
}

/// Uses the Gregorian calendar for all dates, as std::chrono and ISO 8601 do. By default, ICU uses
/// the Julian calendar before October 15, 1582, so another day would be shown.
void use_gregorian_always(UDateFormat& dates) {
  constexpr UDate kBeforeAllDates = -9'007'199'254'740'992.0;  // exact in a double, in ms
  UErrorCode status = U_ZERO_ERROR;
  const Calendar calendar(ucal_clone(udat_getCalendar(&dates), &status));
  expect(status, "a calendar");
  ucal_setGregorianChange(calendar.get(), kBeforeAllDates, &status);
  if (status != U_UNSUPPORTED_ERROR) {  // another calendar, such as the Buddhist one of "th"
    expect(status, "the Gregorian calendar");
    udat_setCalendar(&dates, calendar.get());
  }
}

std::string format_time(const std::string& tag, const std::string& zone, TimeForm form,
                        Locale::Moment when) {
  const UDateFormatStyle date = style_of(form.date);
  const UDateFormatStyle time = style_of(form.time);
  const std::string key = tag + ' ' + zone + ' ' + std::to_string(date) + std::to_string(time);
  auto* const by =
      kept<Dates>(key, [&] {
        const std::u16string name = to_utf16(zone);
        UErrorCode status = U_ZERO_ERROR;
        Dates made(udat_open(time, date, icu_name(tag).c_str(), name.data(),
                             static_cast<std::int32_t>(name.size()), nullptr, 0, &status));
        expect(status, "a date format");
        use_gregorian_always(*made);
        return made;
      }).get();
  Text16 text;
  UErrorCode status = U_ZERO_ERROR;
  const std::int32_t units = udat_format(by, static_cast<UDate>(when.time_since_epoch().count()),
                                         text.data(), kUnitsMax, nullptr, &status);
  expect(status, "a date");
  return to_utf8(text.data(), units);
}

std::string format_relative(const std::string& tag, double count, Unit unit) {
  constexpr std::array<URelativeDateTimeUnit, 7> kUnits = {
      UDAT_REL_UNIT_YEAR, UDAT_REL_UNIT_MONTH,  UDAT_REL_UNIT_WEEK,  UDAT_REL_UNIT_DAY,
      UDAT_REL_UNIT_HOUR, UDAT_REL_UNIT_MINUTE, UDAT_REL_UNIT_SECOND};
  auto* const by =
      kept<Relatives>(tag, [&] {
        UErrorCode status = U_ZERO_ERROR;
        Relatives made(ureldatefmt_open(icu_name(tag).c_str(), nullptr, UDAT_STYLE_LONG,
                                        UDISPCTX_CAPITALIZATION_NONE, &status));
        expect(status, "a duration format");
        return made;
      }).get();
  Text16 text;
  UErrorCode status = U_ZERO_ERROR;
  const std::int32_t units = ureldatefmt_formatNumeric(
      by, count, kUnits[static_cast<std::size_t>(unit)], text.data(), kUnitsMax, &status);
  expect(status, "a span");
  return to_utf8(text.data(), units);
}

}  // namespace

}  // namespace eider::detail::locale

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
