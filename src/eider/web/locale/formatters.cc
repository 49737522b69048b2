#include "eider/web/locale/formatters.h"

#include <unicode/ucal.h>
#include <unicode/udat.h>
#include <unicode/uloc.h>
#include <unicode/unumberformatter.h>
#include <unicode/ureldatefmt.h>
#include <unicode/ustring.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include "eider/core/base/failure.h"
#include "eider/core/base/text.h"

namespace eider::detail::locale {

namespace {

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

}  // namespace

std::optional<std::string> find_tag(std::string_view tag) {
  static const std::set<std::string, std::less<>> kLanguages = languages_of_icu();
  const bool is_text = !tag.empty() && tag.size() <= kNameBytesMax && !tag.contains('\0');
  const bool is_known = is_text && kLanguages.contains(tag.substr(0, tag.find('-')));
  return is_known && !icu_name(tag).empty() ? std::optional(std::string(tag)) : std::nullopt;
}

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

}  // namespace eider::detail::locale
