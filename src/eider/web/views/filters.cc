#include "eider/web/views/filters.h"

#include <algorithm>
#include <array>
#include <optional>

#include "eider/core/base/text.h"
#include "eider/core/json/write.h"
#include "eider/web/views/value.h"

namespace eider::views::filters {

namespace {

using reflect::Kind;

constexpr std::array<std::string_view, 12> kMonths = {
    "January", "February", "March",     "April",   "May",      "June",
    "July",    "August",   "September", "October", "November", "December"};

bool continues_code_point(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U;
}

std::int64_t code_points_of(std::string_view text) {
  return std::ranges::count_if(text, [](char byte) { return !continues_code_point(byte); });
}

std::int64_t integer_of(Ref number) {
  return parse_int64(shown(number)).value_or(0);
}

/// Reads the digits of an RFC 3339 time; invalid texts have none.
class TimeText {
 public:
  explicit TimeText(std::string_view text) : text_(text) {}

  [[nodiscard]] bool is_date() const {
    return text_.size() >= 10 && text_[4] == '-' && text_[7] == '-' && are_digits(0, 4) &&
           are_digits(5, 2) && are_digits(8, 2) && month() >= 1 && month() <= 12;
  }
  [[nodiscard]] std::string_view part(std::size_t begin, std::size_t size) const {
    return text_.size() >= begin + size && are_digits(begin, size) ? text_.substr(begin, size)
                                                                   : "00";
  }
  [[nodiscard]] std::size_t month() const {
    const auto tens = static_cast<std::size_t>(text_[5] - '0');
    return tens * 10 + static_cast<std::size_t>(text_[6] - '0');
  }

 private:
  [[nodiscard]] bool are_digits(std::size_t begin, std::size_t size) const {
    return std::ranges::all_of(text_.substr(begin, size), is_digit);
  }

  std::string_view text_;
};

std::string time_part(const TimeText& time, char what) {
  switch (what) {
    case 'Y':
      return std::string(time.part(0, 4));
    case 'm':
      return std::string(time.part(5, 2));
    case 'd':
      return std::string(time.part(8, 2));
    case 'e': {
      const std::string_view day = time.part(8, 2);
      return std::string(day.front() == '0' ? day.substr(1) : day);
    }
    case 'B':
      return std::string(kMonths[time.month() - 1]);
    case 'b':
      return std::string(kMonths[time.month() - 1].substr(0, 3));
    case 'H':
      return std::string(time.part(11, 2));
    case 'M':
      return std::string(time.part(14, 2));
    case 'S':
      return std::string(time.part(17, 2));
    case '%':
      return "%";
    default:
      return {'%', what};
  }
}

bool is_listed(const reflect::Type& type) {
  const Kind kind = held_type(type).kind;
  return kind == Kind::kSequence || kind == Kind::kArray || kind == Kind::kSet;
}

}  // namespace

std::string upper(Ref text) {
  std::string made = shown(text);
  for (char& byte : made) {
    byte = byte >= 'a' && byte <= 'z' ? static_cast<char>(byte - 0x20) : byte;
  }
  return made;
}

std::string lower(Ref text) {
  return in_lower_case(shown(text));
}

std::string trim(Ref text) {
  constexpr std::string_view kBlanks = " \t\r\n\f\v";
  const std::string all = shown(text);
  const std::size_t first = all.find_first_not_of(kBlanks);
  return first == all.npos ? std::string()
                           : all.substr(first, all.find_last_not_of(kBlanks) + 1 - first);
}

std::string truncate(Ref text, Ref characters) {
  std::string all = shown(text);
  const std::int64_t kept = std::max<std::int64_t>(0, integer_of(characters));
  if (code_points_of(all) <= kept) {
    return all;
  }
  std::int64_t count = 0;
  std::size_t end = 0;
  for (; end < all.size(); ++end) {
    count += continues_code_point(all[end]) ? 0 : 1;
    if (count == std::max<std::int64_t>(kept, 1)) {
      break;
    }
  }
  return all.substr(0, end) + (kept == 0 ? "" : "…");
}

std::string date(Ref time, Ref format) {
  std::string text = shown(time);
  const TimeText read(text);
  if (!read.is_date()) {
    return text;
  }
  const std::string wanted = shown(format);
  std::string made;
  for (std::size_t at = 0; at < wanted.size(); ++at) {
    if (wanted[at] == '%' && at + 1 < wanted.size()) {
      made += time_part(read, wanted[++at]);
    } else {
      made += wanted[at];
    }
  }
  return made;
}

std::string default_(Ref value, Ref fallback) {
  const Ref inner = held(value);
  const bool is_there = inner.at != nullptr && (!is_condition(*inner.type) || holds(inner));
  return shown(is_there ? inner : fallback);
}

std::string join(Ref list, Ref separator) {
  std::string made;
  const std::string between = shown(separator);
  const std::vector<Item> items = items_of(list);
  for (const Item& item : items) {
    made += &item == &items.front() ? "" : between;
    append_shown(made, Context::raw, item.value);
  }
  return made;
}

std::int64_t length(Ref value) {
  const Ref inner = held(value);
  if (inner.at == nullptr) {
    return 0;
  }
  return is_shown(*inner.type) ? code_points_of(shown(inner))
                               : static_cast<std::int64_t>(items_of(inner).size());
}

std::string json(Ref value) {
  return eider::json::to_text(*value.type, value.at);
}

std::string_view objection(std::string_view filter, const reflect::Type& type) {
  if (filter == "json") {
    return {};
  }
  if (filter == "join") {
    return is_listed(type) && is_shown(*item_type(type)) ? "" : "join needs a list of texts";
  }
  if (filter == "length") {
    return is_listed(type) || held_type(type).kind == Kind::kMap || is_shown(type)
               ? ""
               : "length needs a list, a map or a text";
  }
  return is_shown(type) ? "" : "this filter needs a text";
}

}  // namespace eider::views::filters
