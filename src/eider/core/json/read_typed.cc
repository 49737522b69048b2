#include "eider/core/json/reader.h"
#include "eider/core/json/text.h"
#include "eider/core/reflect/constraints.h"
#include "eider/core/reflect/scalar.h"
#include "eider/core/reflect/text.h"

namespace eider::json::detail {

using reflect::Parsed;
using reflect::Type;

namespace {

/// Most strings are short, and then the call of std::string's own function takes longer than the
/// copy.
void assign(std::string& to, std::string_view text) {
  if (text.size() > kShortBytesMax) {
    to.assign(text);
    return;
  }
  to.resize_and_overwrite(text.size(), [text](char* at, std::size_t) {
    copy_short(at, text);
    return text.size();  // libstdc++ 12 may pass the capacity as the size
  });
}

}  // namespace

/// Only a jump: its cases are separate functions, so that it need not save registers.
bool Reader::read(const Type& type, void* at, const Path& path) {
  switch (type.kind) {
    case reflect::Kind::kBool:
      return read_bool(type, at, path);
    case reflect::Kind::kSigned:
    case reflect::Kind::kUnsigned:
      return read_integer(type, at, path);
    case reflect::Kind::kReal:
      return read_real(type, at, path);
    case reflect::Kind::kString:
      return read_string(type, at, path);
    case reflect::Kind::kStruct:
      return read_struct(type, at, path);
    case reflect::Kind::kSequence:
      return read_sequence(type, at, path);
    case reflect::Kind::kArray:
      return read_array(type, at, path);
    case reflect::Kind::kOptional:
      return read_optional(type.optional(), at, path);
    case reflect::Kind::kMap:
      return read_map(type, at, path);
    case reflect::Kind::kEnum:
      return read_enum(type, at, path);
    case reflect::Kind::kVariant:
      return read_variant(type, at, path);
    case reflect::Kind::kConstrained:
      return read_bounded(type.constraint(), at, path);
    case reflect::Kind::kDynamic:
      return read_value(*static_cast<Value*>(at), path);
    case reflect::Kind::kText:
      return read_text(type, at, path);
    case reflect::Kind::kSet:
      return read_set(type, at, path);
    case reflect::Kind::kView:
    case reflect::Kind::kChars:
      return skip_unreadable(path);
  }
  std::unreachable();
}

bool Reader::skip_unreadable(const Path& path) {
  complaints_.add(path, reflect::wording::kWrittenOnly);
  return skip(path);
}

bool Reader::read_bool(const Type& type, void* at, const Path& path) {
  if (!pass_word("true")) {
    if (!pass_word("false")) {
      return skip_mistyped(type, path);
    }
    *static_cast<bool*>(at) = false;
    return true;
  }
  *static_cast<bool*>(at) = true;
  return true;
}

bool Reader::read_integer(const Type& type, void* at, const Path& path) {
  constexpr std::ptrdiff_t kDigitsMax = 18;  // one less than a std::int64_t may have
  const bool is_negative = *at_ == '-';
  const char* const first = at_ + (is_negative ? 1 : 0);
  const char* end = first;
  std::uint64_t digits = 0;
  for (; is_digit(*end); ++end) {
    digits = digits * 10 + static_cast<std::uint64_t>(*end - '0');
  }
  const std::ptrdiff_t count = end - first;
  if (count == 0 || count > kDigitsMax || (*first == '0' && count > 1) || *end == '.' ||
      *end == 'e' || *end == 'E') [[unlikely]] {
    return read_any_integer(type, at, path);
  }
  const auto number = static_cast<std::int64_t>(digits);
  at_ = end;
  if (!reflect::try_store_signed(type, at, is_negative ? -number : number)) {
    complaints_.add(path, [&] { return range_requirement(type); });
  }
  return true;
}

/// Reads an integer with many digits, a fraction or an exponent, or reports another value.
bool Reader::read_any_integer(const Type& type, void* at, const Path& path) {
  const std::string_view found = token();
  const NumberForm form = number_form(found);
  std::optional<std::string> digits;
  if (form == NumberForm::kReal) {
    digits = integer_digits(found);
  }
  if (form != NumberForm::kInteger && !digits) {
    return skip_mistyped(type, path);
  }
  at_ += found.size();
  if (reflect::parse_integer(type, at, digits ? *digits : found) != Parsed::kDone) {
    complaints_.add(path, [&] { return range_requirement(type); });
  }
  return true;
}

bool Reader::read_real(const Type& type, void* at, const Path& path) {
  bool is_stored = false;
  const char* end = type.bytes == sizeof(float)
                        ? read_short_real(at_, *static_cast<float*>(at), is_stored)
                        : read_short_real(at_, *static_cast<double*>(at), is_stored);
  if (end == nullptr) [[unlikely]] {
    const std::string_view found = token();
    if (number_form(found) == NumberForm::kNone) {
      return skip_mistyped(type, path);
    }
    end = found.data() + found.size();
  }
  const std::string_view number(at_, end);
  at_ = end;
  if (!is_stored && reflect::parse_real(type, at, number) != Parsed::kDone) {
    complaints_.add(path, [&] { return range_requirement(type); });
  }
  return true;
}

bool Reader::read_string(const Type& type, void* at, const Path& path) {
  if (*at_ != '"') {
    return skip_mistyped(type, path);
  }
  const std::string_view text = string();
  if (text.data() == nullptr) {
    return false;
  }
  assign(*static_cast<std::string*>(at), text);
  return true;
}

bool Reader::read_enum(const Type& type, void* at, const Path& path) {
  if (*at_ != '"') {
    return skip_mistyped(type, path);
  }
  const std::string_view text = string();
  if (text.data() == nullptr) {
    return false;
  }
  const reflect::Enumerator* const found = type.enumeration().find(text);
  if (found == nullptr || !reflect::try_store_signed(type, at, found->value)) {
    complaints_.add(path, [&] { return requirement(type); });
  }
  return true;
}

bool Reader::read_text(const Type& type, void* at, const Path& path) {
  if (*at_ != '"') {
    return skip_mistyped(type, path);
  }
  const std::string_view text = string();
  if (text.data() == nullptr) {
    return false;
  }
  if (!type.text().read(at, text)) {
    complaints_.add(path, [&] { return requirement(type); });
  }
  return true;
}

bool Reader::read_optional(const reflect::Optional& type, void* at, const Path& path) {
  if (pass_word("null")) {
    type.set_null(at);
    return true;
  }
  return read(*type.value, type.emplace(at), path);
}

bool Reader::read_bounded(const reflect::Constraint& type, void* at, const Path& path) {
  const std::size_t errors_before = complaints_.count();
  if (!read(*type.value, at, path)) {
    return false;
  }
  if (complaints_.count() != errors_before) {
    return true;  // rules apply only to values that could be read
  }
  for (const reflect::Rule& rule : type) {
    if (!rule.check(at)) {
      complaints_.add(path, [&] { return requirement(type, rule); });
    }
  }
  return true;
}

bool Reader::read_sequence(const Type& type, void* at, const Path& path) {
  if (*at_ != '[') {
    return skip_mistyped(type, path);
  }
  const reflect::Sequence& sequence = type.sequence();
  sequence.clear(at);
  return each_element(path, [&](const Path& element_path) {
    return complaints_.is_full() ? skip(element_path)
                                 : read(*sequence.element, sequence.append(at), element_path);
  });
}

bool Reader::read_set(const Type& type, void* at, const Path& path) {
  if (*at_ != '[') {
    return skip_mistyped(type, path);
  }
  const reflect::Set& set = type.set();
  set.clear(at);
  return each_element(path, [&](const Path& element_path) {
    if (complaints_.is_full()) {
      return skip(element_path);
    }
    const std::size_t errors_before = complaints_.count();
    bool is_read = false;
    // An element with an error may be incomplete, so it must not be reported as a duplicate of
    // another.
    auto fill = [&](void* slot) {
      is_read = read(*set.element, slot, element_path);
      return is_read && complaints_.count() == errors_before;
    };
    const auto added = set.add(at, &fill, [](void* context, void* slot) {
      return (*static_cast<decltype(fill)*>(context))(slot);
    });
    if (added == reflect::Set::Added::kDoubled) {
      complaints_.add(element_path, reflect::wording::kDoubled);
    } else if (added == reflect::Set::Added::kCrowded) {
      complaints_.add(element_path, reflect::wording::kCrowded);
    }
    return is_read;
  });
}

bool Reader::read_array(const Type& type, void* at, const Path& path) {
  if (*at_ != '[') {
    return skip_mistyped(type, path);
  }
  const reflect::Array& array = type.array();
  std::size_t count = 0;
  const bool is_read = each_element(path, [&](const Path& element_path) {
    const std::size_t index = count++;
    return index < array.count
               ? read(*array.element, static_cast<char*>(at) + index * array.element->bytes,
                      element_path)
               : skip(element_path);
  });
  if (is_read && count != array.count) {
    complaints_.add(path, [&] { return requirement(type); });
  }
  return is_read;
}

bool Reader::read_map(const Type& type, void* at, const Path& path) {
  if (*at_ != '{') {
    return skip_mistyped(type, path);
  }
  const reflect::Map& map = type.map();
  map.clear(at);
  return each_member(path, [&](std::string_view name, const Path& value_path) {
    if (complaints_.is_full()) {
      return skip(value_path);
    }
    void* const slot = map.insert(at, name);
    if (slot == nullptr) {
      complaints_.add(value_path, map.find(at, name) == nullptr ? reflect::wording::kCrowded
                                                                : reflect::wording::kDoubled);
      return skip(value_path);
    }
    return read(*map.value, slot, value_path);
  });
}

}  // namespace eider::json::detail
