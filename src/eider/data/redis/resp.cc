#include "eider/data/redis/resp.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <limits>
#include <system_error>
#include <utility>

#include "eider/core/base/assert.h"

namespace eider::redis::detail {
namespace {

using Read = Result<RespItem, RespFault>;

constexpr std::string_view kLineEnd = "\r\n";
/// "txt:", before the text of a verbatim string.
constexpr std::size_t kFormatBytes = 4;

constexpr std::string_view kMarks = "+-:_#,($=!*~%>|";

struct Mark {
  char byte;
  RespKind kind;
};

constexpr Mark kLengths[] = {
    {'$', RespKind::bulk},  {'=', RespKind::bulk},      {'!', RespKind::error},
    {'*', RespKind::array}, {'~', RespKind::set},       {'%', RespKind::map},
    {'>', RespKind::push},  {'|', RespKind::attribute},
};

/// Parses the complete text as an integer, with an optional sign.
std::optional<std::int64_t> whole_number(std::string_view text) noexcept {
  if (text.starts_with('+')) {
    text.remove_prefix(1);
    if (text.starts_with('-')) {
      return std::nullopt;
    }
  }
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) {
    return std::nullopt;
  }
  return number;
}

bool are_digits(std::string_view text) noexcept {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

bool is_big_number(std::string_view text) noexcept {
  return are_digits(text.starts_with('-') || text.starts_with('+') ? text.substr(1) : text);
}

/// Matches "," [<+|->] <integral> [. <fractional>] [<E|e> [sign] <exponent>], or inf, -inf, nan.
/// (Redis also writes "-nan", if the C library does.)
bool is_real(std::string_view text) noexcept {
  if (text.starts_with('-') || text.starts_with('+')) {
    text.remove_prefix(1);
  }
  if (text == "inf" || text == "nan") {
    return true;
  }
  if (text.empty() || text.front() < '0' || text.front() > '9') {
    return false;
  }
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error != std::errc::invalid_argument && end == text.data() + text.size();
}

/// Reads items that consist of one line.
Read read_plain(char mark, RespItem item) noexcept {
  switch (mark) {
    case '+':
      item.kind = RespKind::simple;
      return item;
    case '-':
      item.kind = RespKind::error;
      return item;
    case ':':
      if (const auto number = whole_number(item.text)) {
        item.kind = RespKind::integer;
        item.number = *number;
        return item;
      }
      return fail(RespFault::bad_number);
    case '_':
      item.kind = RespKind::null;
      return item.text.empty() ? Read(item) : fail(RespFault::bad_line);
    case '#':
      item.kind = RespKind::boolean;
      item.number = item.text == "t" ? 1 : 0;
      return item.text == "t" || item.text == "f" ? Read(item) : fail(RespFault::bad_line);
    case ',':
      item.kind = RespKind::real;
      return is_real(item.text) ? Read(item) : fail(RespFault::bad_number);
    case '(':
      item.kind = RespKind::big_number;
      return is_big_number(item.text) ? Read(item) : fail(RespFault::bad_number);
    default:
      return fail(RespFault::bad_kind);
  }
}

/// Reads the bytes after a line with their length.
Read read_bulk(char mark, std::string_view in, RespItem item, std::size_t length) noexcept {
  const std::size_t whole = item.bytes + length + kLineEnd.size();
  if (in.size() < whole) {
    return RespItem{.kind = item.kind, .bytes_wanted = whole};
  }
  item.text = in.substr(item.bytes, length);
  if (in.substr(item.bytes + length, kLineEnd.size()) != kLineEnd) {
    return fail(RespFault::bad_line);
  }
  item.bytes = whole;
  if (mark == '=') {
    if (item.text.size() < kFormatBytes || item.text[kFormatBytes - 1] != ':') {
      return fail(RespFault::bad_line);
    }
    item.text.remove_prefix(kFormatBytes);
  }
  return item;
}

/// Reads an item whose line contains a length or count.
Read read_counted(Mark mark, std::string_view in, RespItem item) noexcept {
  // A length has no sign, except for the null of RESP2.
  if ((mark.byte == '$' || mark.byte == '*') && item.text == "-1") {
    item.kind = RespKind::null;
    item.text = {};
    return item;
  }
  const auto length = are_digits(item.text) ? whole_number(item.text) : std::nullopt;
  if (!length) {
    return fail(RespFault::bad_number);
  }
  // So that no sum with another length can overflow.
  if (*length > std::numeric_limits<std::int32_t>::max()) {
    return fail(RespFault::too_large);
  }
  item.kind = mark.kind;
  if (mark.kind == RespKind::bulk || mark.kind == RespKind::error) {
    return read_bulk(mark.byte, in, item, static_cast<std::size_t>(*length));
  }
  const bool is_of_pairs = mark.kind == RespKind::map || mark.kind == RespKind::attribute;
  item.number = is_of_pairs ? 2 * *length : *length;
  item.text = {};
  return item;
}

}  // namespace

RespReader::RespReader(const RespLimits& limits) noexcept : limits_(limits) {
  limits_.depth_max = std::min(limits_.depth_max, kDepthMax);
}

Result<std::size_t, RespFault> RespReader::read(std::string_view in) noexcept {
  while (true) {
    const auto item = read_item(in.substr(at_));
    if (!item) {
      return fail(item.error());
    }
    const std::size_t counted = at_ + values_ * limits_.value_bytes;
    if (counted + std::max(item->bytes, item->bytes_wanted) > limits_.bytes_max) {
      return fail(RespFault::too_large);
    }
    if (item->bytes == 0) {
      bytes_wanted_ = at_ + item->bytes_wanted;
      return 0;
    }
    at_ += item->bytes;
    if (const auto entered = enter(*item); !entered) {
      return fail(entered.error());
    }
    while (left_[depth_] == 0 && depth_ > 0) {
      --depth_;
    }
    if (depth_ == 0 && left_[0] == 0) {
      const std::size_t bytes = at_;
      reset();
      return bytes;
    }
  }
}

Result<void, RespFault> RespReader::check(const RespItem& item) const noexcept {
  // "Push data … never in the middle of other data" (RESP3, push type).
  if (item.kind == RespKind::push && (depth_ != 0 || item.number == 0)) {
    return fail(RespFault::bad_kind);
  }
  if (!item.is_aggregate() || item.number == 0) {
    return {};
  }
  if (depth_ == limits_.depth_max) {
    return fail(RespFault::too_deep);
  }
  if (static_cast<std::uint64_t>(item.number) > limits_.values_max - values_) {
    return fail(RespFault::too_many);
  }
  const std::size_t values = values_ + static_cast<std::size_t>(item.number);
  if (values * limits_.value_bytes > limits_.bytes_max) {
    return fail(RespFault::too_large);
  }
  return {};
}

/// Counts the item as a value of its parent; not an attribute, because its value follows.
Result<void, RespFault> RespReader::enter(const RespItem& item) noexcept {
  if (const auto checked = check(item); !checked) {
    return checked;
  }
  if (item.kind != RespKind::attribute) {
    --left_[depth_];
  }
  if (item.is_aggregate() && item.number != 0) {
    values_ += static_cast<std::size_t>(item.number);
    left_[++depth_] = static_cast<std::uint64_t>(item.number);
  }
  return {};
}

void RespReader::reset() noexcept {
  at_ = 0;
  values_ = 0;
  bytes_wanted_ = 0;
  depth_ = 0;
  left_[0] = 1;
}

RespItem RespCursor::take() noexcept {
  const auto item = read_item(rest_);
  ensure(item && item->bytes != 0, "a Redis response ends before its last value");
  rest_.remove_prefix(item->bytes);
  return *item;
}

RespItem RespCursor::next() noexcept {
  RespItem item = take();
  while (item.kind == RespKind::attribute) {
    skip(static_cast<std::uint64_t>(item.number));
    item = take();
  }
  return item;
}

void RespCursor::skip(std::uint64_t values) noexcept {
  for (; values != 0; --values) {
    const RespItem item = take();
    if (item.is_aggregate()) {
      values += static_cast<std::uint64_t>(item.number);
    }
    // An attribute precedes a value and is not a value.
    values += item.kind == RespKind::attribute ? 1 : 0;
  }
}

std::string_view text(RespFault fault) noexcept {
  switch (fault) {
    case RespFault::bad_kind:
      return "a value without a type marker of the protocol";
    case RespFault::bad_number:
      return "an invalid number or length";
    case RespFault::bad_line:
      return "a line or text without a proper end";
    case RespFault::too_deep:
      return "values that are nested too deeply";
    case RespFault::too_many:
      return "more values than the limit";
    case RespFault::too_large:
      return "more bytes than the limit";
  }
  std::unreachable();
}

Read read_item(std::string_view in) noexcept {
  if (in.empty()) {
    return RespItem{};
  }
  // Checked at once, because other input may never have a line end.
  if (!kMarks.contains(in.front())) {
    return fail(RespFault::bad_kind);
  }
  const std::size_t end = in.substr(0, kRespLineBytesMax).find_first_of(kLineEnd, 1);
  if (end == std::string_view::npos) {
    return in.size() < kRespLineBytesMax ? Read(RespItem{}) : fail(RespFault::too_large);
  }
  // A line contains neither CR nor LF.
  if (in[end] == '\n' || (end + 1 < in.size() && in[end + 1] != '\n')) {
    return fail(RespFault::bad_line);
  }
  if (end + 1 == in.size()) {
    return RespItem{};
  }
  const RespItem item{.text = in.substr(1, end - 1), .bytes = end + kLineEnd.size()};
  const auto* const counted = std::ranges::find(kLengths, in.front(), &Mark::byte);
  return counted == std::end(kLengths) ? read_plain(in.front(), item)
                                       : read_counted(*counted, in, item);
}

}  // namespace eider::redis::detail
