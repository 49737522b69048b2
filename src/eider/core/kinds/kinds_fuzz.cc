// Any bytes as each type that is represented as text: accepted values are written so that they read
// the same. Also compares patterns with std::regex.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <regex>
#include <string>
#include <string_view>

#include "eider/core/base/assert.h"
#include "eider/core/kinds/kinds.h"
#include "eider/core/reflect/text.h"
#include "eider/protocols/http/url.h"

namespace {

using namespace eider;

template <class T>
void check(std::string_view text) {
  const reflect::Type& type = reflect::type_of<T>();
  T value{};
  if (!reflect::read_text(type, &value, text)) {
    ensure(type.text().is_fresh(&value), "what is not read changes nothing");
    return;
  }
  const std::string written(std::string_view(TextFormat<T>::format(value)));
  T again{};
  ensure(reflect::read_text(type, &again, written).has_value(), "what is written can be read");
  ensure(type.text().equal(&value, &again), "and is the same");
  ensure(std::string_view(TextFormat<T>::format(again)) == written, "with the same text");
}

/// For short ASCII texts: std::regex supports only bytes, and recurses. Without libstdc++'s flag it
/// also backtracks, and takes half a minute for 30 letters and the second pattern.
template <FixedString Pattern>
void check_pattern(std::string_view text) {
  static const std::regex other(std::string(Pattern.view()),
                                std::regex::ECMAScript | std::regex_constants::__polynomial);
  const bool is_ascii = std::ranges::all_of(text, [](char byte) { return byte > 0; });
  const bool is_taken = Matches<Pattern>::check(text);
  ensure(!is_ascii || text.size() > 64 ||
             is_taken == std::regex_match(text.begin(), text.end(), other),
         "two implementations agree");
}

void check_rules(std::string_view text) {
  check_pattern<"[a-z][a-z0-9_]{2,30}">(text);
  check_pattern<"(?:[^@\\s]{0,20}|\\d+x?)*@?">(text);
  check_pattern<"((a|b)?c{1,3}){2,4}|.*;">(text);
  ensure(!IsEmail::check(text) || text.find_first_of(" \r\n,<>\"") == text.npos,
         "an address is one word");
  ensure(!IsUrl::check(text) || text.find_first_of(" \r\n<>\"\\") == text.npos,
         "a URL is one word");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  check_rules(text);
  check<Uuid>(text);
  check<Decimal>(text);
  check<TimeOfDay>(text);
  check<std::chrono::year_month_day>(text);
  check<std::chrono::sys_seconds>(text);
  check<std::chrono::sys_time<std::chrono::nanoseconds>>(text);
  check<std::chrono::local_time<std::chrono::milliseconds>>(text);
  check<std::chrono::seconds>(text);
  check<std::chrono::duration<std::uint16_t, std::milli>>(text);
  return 0;
}
