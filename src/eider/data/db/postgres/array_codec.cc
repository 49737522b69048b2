#include "eider/data/db/postgres/array_codec.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "eider/core/base/base64.h"
#include "eider/core/base/digits.h"
#include "eider/core/base/text.h"
#include "eider/data/db/postgres/bytes.h"
#include "eider/data/db/postgres/types.h"

namespace eider::db::postgres {
namespace {

// Header: number of dimensions, whether there are NULLs, and the type of the elements. Then for
// each dimension its length and first index. Then the length of each element, which is -1 for NULL,
// and its bytes.
constexpr std::size_t kArrayHead = 12;
constexpr std::size_t kDimension = 8;

[[noreturn]] void refuse_dimensions() {
  throw Failure(FailureKind::row,
                "PostgreSQL sent an array with more than one dimension: select it as text "
                "(::text), or as JSON with to_json()");
}

void read_binary_array(Oid element, std::string_view bytes, ArrayElements& elements) {
  const auto dimensions = number_at<std::int32_t>(bytes, 0, element);
  if (dimensions > 1) {
    refuse_dimensions();
  }
  if (dimensions < 0 || number_at<std::uint32_t>(bytes, 8, element) != element) {
    refuse_bytes(element);
  }
  if (dimensions == 0) {
    return bytes.size() == kArrayHead ? void() : refuse_bytes(element);
  }
  const auto count = number_at<std::int32_t>(bytes, kArrayHead, element);
  bytes.remove_prefix(std::min(bytes.size(), kArrayHead + kDimension));
  if (count < 0 || static_cast<std::size_t>(count) > bytes.size() / sizeof(std::int32_t)) {
    refuse_bytes(element);
  }
  for (std::int32_t i = 0; i < count; ++i) {
    const auto length = number_at<std::int32_t>(bytes, 0, element);
    bytes.remove_prefix(sizeof(length));
    if (length == -1) {
      elements.emplace_back(std::nullopt);
      continue;
    }
    if (length < 0 || static_cast<std::size_t>(length) > bytes.size()) {
      refuse_bytes(element);
    }
    elements.emplace_back(bytes.substr(0, static_cast<std::size_t>(length)));
    bytes.remove_prefix(static_cast<std::size_t>(length));
  }
  if (!bytes.empty()) {
    refuse_bytes(element);
  }
}

/// Reads "{1,NULL,\"a \\\" b\"}", with an optional prefix such as "[0:1]=".
class ArrayText {
 public:
  ArrayText(Oid element, std::string_view text, std::string& room)
      : element_(element), text_(text), room_(room) {}

  void read(ArrayElements& elements) {
    if (text_.starts_with('[')) {
      text_.remove_prefix(std::min(text_.find('='), text_.size() - 1) + 1);
    }
    room_.reserve(text_.size());  // views of it must stay valid
    take('{');
    if (next() == '}') {
      ++at_;
    } else {
      read_elements(elements);
    }
    if (at_ != text_.size()) {
      refuse_bytes(element_);
    }
  }

 private:
  [[nodiscard]] char next() const {
    if (at_ >= text_.size()) {
      refuse_bytes(element_);
    }
    return text_[at_];
  }
  void take(char wanted) {
    if (next() != wanted) {
      refuse_bytes(element_);
    }
    ++at_;
  }

  void read_elements(ArrayElements& elements) {
    for (char end = ','; end == ','; ++at_) {
      if (next() == '{') {
        refuse_dimensions();
      }
      elements.push_back(next() == '"' ? read_quoted() : read_bare());
      end = next();
      if (end != ',' && end != '}') {
        refuse_bytes(element_);
      }
    }
  }

  std::string_view read_quoted() {
    const std::size_t begin = room_.size();
    for (++at_; next() != '"'; ++at_) {
      at_ += next() == '\\' ? 1 : 0;
      room_ += next();
    }
    ++at_;
    return std::string_view(room_).substr(begin);
  }

  std::optional<std::string_view> read_bare() {
    const std::size_t begin = at_;
    while (next() != ',' && next() != '}') {
      ++at_;
    }
    const std::string_view bare = text_.substr(begin, at_ - begin);
    if (bare.empty()) {
      refuse_bytes(element_);
    }
    return bare == "NULL" ? std::nullopt : std::optional(bare);
  }

  Oid element_;
  std::string_view text_;
  std::string& room_;
  std::size_t at_ = 0;
};

void put_number(std::string& out, std::uint32_t number) {
  for (const unsigned shift : {24U, 16U, 8U, 0U}) {
    out += static_cast<char>(number >> shift & 0xFFU);
  }
}

bool needs_quotes(std::string_view text) noexcept {
  return text.empty() || equals_ignoring_case(text, "null") ||
         text.find_first_of("{}\",\\ \t\n\r\v\f") != std::string_view::npos;
}

void add_element(std::string& out, std::optional<std::string_view> element) {
  out += out.size() == 1 ? "" : ",";
  if (!element || !needs_quotes(*element)) {
    out += element.value_or("NULL");
    return;
  }
  out += '"';
  for (const char c : *element) {
    out.append(c == '"' || c == '\\' ? 1 : 0, '\\');
    out += c;
  }
  out += '"';
}

/// Formats a number like the server.
std::string text_of_real(double number, Oid type) {
  if (!std::isfinite(number)) {
    return std::isnan(number) ? "NaN" : number < 0 ? "-Infinity" : "Infinity";
  }
  return type == kFloat4 ? digits_of(static_cast<float>(number)) : digits_of(number);
}

}  // namespace

Oid element_of(Oid array) noexcept {
  switch (array) {
    case 199:
      return kJson;
    case 1000:
      return kBool;
    case 1001:
      return kBytea;
    case 1003:
      return kName;
    case 1005:
      return kInt2;
    case 1007:
      return kInt4;
    case 1009:
      return kText;
    case 1014:
      return kBpchar;
    case 1015:
      return kVarchar;
    case 1016:
      return kInt8;
    case 1021:
      return kFloat4;
    case 1022:
      return kFloat8;
    case 1028:
      return kOid;
    case 1115:
      return kTimestamp;
    case 1182:
      return kDate;
    case 1183:
      return kTime;
    case 1185:
      return kTimestampTz;
    case 1231:
      return kNumeric;
    case 2951:
      return kUuid;
    case 3807:
      return kJsonb;
    default:
      return 0;
  }
}

void read_array(Oid element, Format format, std::string_view bytes, std::string& room,
                ArrayElements& elements) {
  room.clear();
  elements.clear();
  if (format == Format::binary) {
    read_binary_array(element, bytes, elements);
  } else {
    ArrayText(element, bytes, room).read(elements);
  }
}

std::string write_array(Oid element, const ArrayElements& elements) {
  std::string out;
  put_number(out, elements.empty() ? 0 : 1);
  const auto is_null = [](const auto& one) { return !one.has_value(); };
  put_number(out, std::ranges::any_of(elements, is_null) ? 1 : 0);
  put_number(out, element);
  if (elements.empty()) {
    return out;
  }
  put_number(out, static_cast<std::uint32_t>(elements.size()));
  put_number(out, 1);  // the first index
  for (const auto& one : elements) {
    put_number(out, one ? static_cast<std::uint32_t>(one->size()) : ~std::uint32_t{0});
    out += one.value_or("");
  }
  return out;
}

std::string write_array_text(const ArrayElements& elements) {
  std::string out = "{";
  for (const auto& one : elements) {
    add_element(out, one);
  }
  return out + "}";
}

std::string hex_of(std::string_view bytes) {
  return "\\x" + to_hex(bytes);
}

std::string text_of_array(Oid element, const CellList& list) {
  std::string out = "{";
  for (const Cell& cell : list.elements) {
    switch (cell.kind) {
      case Value::Kind::null:
        add_element(out, std::nullopt);
        break;
      case Value::Kind::integer:
        add_element(
            out, element == kBool ? (cell.integer != 0 ? "t" : "f") : std::to_string(cell.integer));
        break;
      case Value::Kind::real:
        add_element(out, text_of_real(cell.real, element));
        break;
      case Value::Kind::text:
        add_element(out, cell.bytes);
        break;
      case Value::Kind::blob:
        add_element(out, hex_of(cell.bytes));
        break;
    }
  }
  return out + "}";
}

}  // namespace eider::db::postgres
