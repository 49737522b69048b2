#include "eider/data/db/postgres/parameters.h"

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstring>
#include <limits>
#include <utility>

#include "eider/core/base/digits.h"
#include "eider/data/db/failure.h"
#include "eider/data/db/postgres/array_codec.h"
#include "eider/data/db/postgres/bytes.h"
#include "eider/data/db/postgres/types.h"

namespace eider::db::postgres {
namespace {

/// For mistakes in the application, not in values of a client.
[[noreturn]] void refuse_value(std::string cause) {
  throw Failure(FailureKind::values, std::move(cause));
}

template <class Small>
bool is_within(std::int64_t number) noexcept {
  return std::in_range<Small>(number);
}

/// The cause contains only the type, because the value may be a secret, and the cause is logged.
template <class Number>
[[noreturn]] void refuse_number(const char* type, Number number) {
  throw Failure::of_value(
      std::string("a number does not fit into ") + type, {},
      RefusedValue{.text = digits_of(number), .detail = std::string("does not fit into ") + type});
}

/// Returns whether `Real` can represent the number exactly.
template <class Real>
bool is_exact(std::int64_t number) noexcept {
  const Real real = static_cast<Real>(number);
  return real < Real{0x1p63} && static_cast<std::int64_t>(real) == number;
}

/// Returns std::nullopt also for -0, because an integer has no negative zero.
std::optional<std::int64_t> as_integer(double number) noexcept {
  const bool is_whole = number >= -0x1p63 && number < 0x1p63 && std::trunc(number) == number &&
                        !(number == 0 && std::signbit(number));
  return is_whole ? std::optional(static_cast<std::int64_t>(number)) : std::nullopt;
}

bool is_integer(Oid type) noexcept {
  return type == kInt2 || type == kInt4 || type == kInt8 || type == kOid;
}

/// A list of lists or of structs in JSON; the text of an array with bounds begins with a number.
bool is_nested(std::string_view text) noexcept {
  return text.starts_with("[[") || text.starts_with("[{");
}

bool is_text(Oid type) noexcept {
  return type == kText || type == kVarchar || type == kBpchar || type == kName || type == kJson ||
         type == kUnknown;
}

void check_integer(std::int64_t number, Oid type) {
  if (type == kBool && number != 0 && number != 1) {
    refuse_number("a bool", number);
  }
  if ((type == kFloat4 && !is_exact<float>(number)) ||
      (type == kFloat8 && !is_exact<double>(number))) {
    refuse_number("a floating-point number exactly", number);
  }
}

/// Returns the type for an integer: larger than that of the column if the number does not fit. Then
/// `id = $1` finds no row, as with other unknown numbers, and the server rejects storing it.
Oid type_for(std::int64_t number, Oid type) noexcept {
  const bool is_too_large = (type == kInt2 && !is_within<std::int16_t>(number)) ||
                            (type == kInt4 && !is_within<std::int32_t>(number));
  return is_too_large ? Oid{kInt8} : type;
}

}  // namespace

Failure failure_of_nul(std::string text) {
  return Failure::of_value(
      "PostgreSQL cannot store text with a NUL character", {},
      RefusedValue{.text = std::move(text), .detail = "must not contain a NUL character"});
}

void Parameters::clear(std::size_t count) {
  if (numbers_.capacity() > kRoomKept) {
    *this = Parameters();
  }
  values_.clear();
  lengths_.clear();
  formats_.clear();
  types_.clear();
  widened_.reset();
  numbers_.clear();
  numbers_.reserve(count);
  rooms_.clear();
  rooms_.reserve(count);
}

void Parameters::add(std::span<const Value> values, std::span<const Oid> types) {
  constexpr std::size_t kBytesMax = std::size_t{1} << 30U;  // less than the limit for a message
  bytes_ = 0;
  widened_.reset();
  for (std::size_t i = 0; i < values.size(); ++i) {
    add(values[i], i < types.size() ? types[i] : 0);
  }
  if (bytes_ > kBytesMax - (1U << 20U)) {
    throw Failure::of_value("the values of a PostgreSQL statement must have at most 1 GiB");
  }
}

void Parameters::add(const Value& value, Oid type) {
  types_.push_back(type);
  switch (value.kind()) {
    case Value::Kind::null:
      values_.push_back(nullptr);
      lengths_.push_back(0);
      formats_.push_back(0);
      break;
    case Value::Kind::integer:
      add_integer(*value.integer(), type);
      break;
    case Value::Kind::real:
      add_real(*value.real(), type);
      break;
    case Value::Kind::text:
      if (value.elements() != nullptr && (value.is_array() || element_of(type) != 0)) {
        return add_array(*value.elements(), element_of(type));
      }
      if (value.is_array() || (element_of(type) != 0 && is_nested(*value.text()))) {
        refuse_value(
            "an array of PostgreSQL must have one dimension, and elements such as numbers or "
            "texts");
      }
      add_text(*value.text(), type);
      break;
    case Value::Kind::blob: {
      const Blob& blob = *value.blob();
      types_.back() = type == 0 ? kBytea : type;
      point({reinterpret_cast<const char*>(blob.data()), blob.size()}, Format::binary);
      break;
    }
  }
}

void Parameters::add_integer(std::int64_t number, Oid type) {
  check_integer(number, type);
  const Oid sent = type_for(number, type);
  if (sent != type) {
    types_.back() = sent;
    widened_ = number;
  }
  switch (sent) {
    case kBool:
      return put_number(static_cast<std::uint8_t>(number));
    case kInt2:
      return put_number(static_cast<std::int16_t>(number));
    case kInt4:
      return put_number(static_cast<std::int32_t>(number));
    case kInt8:
      return put_number(number);
    case kFloat4:
      return put_number(static_cast<float>(number));
    case kFloat8:
      return put_number(static_cast<double>(number));
    default:
      put(std::to_string(number), Format::text);
  }
}

void Parameters::add_real(double number, Oid type) {
  if (type == kFloat8) {
    return put_number(number);
  }
  if (type == kFloat4) {
    if (std::isfinite(number) && std::abs(number) > double{std::numeric_limits<float>::max()}) {
      refuse_number("a real", number);
    }
    return put_number(static_cast<float>(number));
  }
  // The server does not accept 1e+06 as an integer.
  if (const auto whole = as_integer(number)) {
    return add_integer(*whole, type);
  }
  if (is_integer(type) && number != 0) {
    refuse_number("an integer", number);
  }
  put(Digits(number).view(), Format::text);
}

void Parameters::add_text(const std::string& text, Oid type) {
  // The server reads text up to a zero byte, and would ignore the rest.
  if (text.contains('\0')) {
    throw failure_of_nul(text);
  }
  point(text, is_text(type) ? Format::binary : Format::text);
}

void Parameters::add_array(std::span<const Value> elements, Oid element) {
  Parameters each;
  each.clear(elements.size());
  each.add(elements, std::vector<Oid>(elements.size(), element));
  if (each.widened_ && element != kInt8) {
    types_.back() = kInt8Array;
    widened_ = each.widened_;
    return add_array(elements, kInt8);
  }
  ArrayElements parts;
  std::vector<std::string> hex;
  hex.reserve(elements.size());  // pointers into it must stay valid
  std::size_t binary = 0;
  std::size_t texts = 0;
  for (std::size_t i = 0; i < elements.size(); ++i) {
    const char* const begin = each.values_[i];
    if (begin == nullptr) {
      parts.emplace_back(std::nullopt);
      continue;
    }
    parts.emplace_back(std::string_view(begin, static_cast<std::size_t>(each.lengths_[i])));
    if (element == 0 && elements[i].blob() != nullptr) {
      parts.back() = hex.emplace_back(hex_of(*parts.back()));
      ++texts;
    } else {
      ++(each.formats_[i] == static_cast<int>(Format::binary) ? binary : texts);
    }
  }
  if (binary != 0 && texts != 0) {
    refuse_value("the elements of an array must have one type");
  }
  if (element != 0 && texts == 0) {
    put(write_array(element, parts), Format::binary);
  } else {
    put(write_array_text(parts), Format::text);
  }
}

void Parameters::point(std::string_view bytes, Format format) {
  bytes_ += bytes.size();
  values_.push_back(bytes.data() == nullptr ? "" : bytes.data());  // null would mean NULL
  lengths_.push_back(static_cast<int>(bytes.size()));
  formats_.push_back(static_cast<int>(format));
}

void Parameters::put(std::string_view bytes, Format format) {
  point(rooms_.emplace_back(bytes), format);
}

template <class Number>
void Parameters::put_number(Number number) {
  const auto raw = to_network(number);
  std::uint64_t& room = numbers_.emplace_back();
  std::memcpy(&room, raw.data(), raw.size());
  point({reinterpret_cast<const char*>(&room), raw.size()}, Format::binary);
}

}  // namespace eider::db::postgres
