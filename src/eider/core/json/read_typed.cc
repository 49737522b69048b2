#include "eider/core/json/reader.h"
#include "eider/core/json/text.h"
#include "eider/core/reflect/constraints.h"
#include "eider/core/reflect/scalar.h"
#include "eider/core/reflect/text.h"

namespace eider::json::detail {

using reflect::Parsed;
using reflect::Type;

bool Reader::read(Source& source, const Type& type, void* at, const Path& path) {
  switch (type.kind) {
    case reflect::Kind::kBool:
      return read_bool(source, type, at, path);
    case reflect::Kind::kSigned:
    case reflect::Kind::kUnsigned:
      return read_integer(source, type, at, path);
    case reflect::Kind::kReal:
      return read_real(source, type, at, path);
    case reflect::Kind::kString:
      return read_string(source, type, at, path);
    case reflect::Kind::kStruct:
      return read_struct(source, type, at, path);
    case reflect::Kind::kSequence:
      return read_sequence(source, type, at, path);
    case reflect::Kind::kArray:
      return read_array(source, type, at, path);
    case reflect::Kind::kOptional:
      return read_optional(source, type.optional(), at, path);
    case reflect::Kind::kMap:
      return read_map(source, type, at, path);
    case reflect::Kind::kEnum:
      return read_enum(source, type, at, path);
    case reflect::Kind::kVariant:
      return read_variant(source, type, at, path);
    case reflect::Kind::kConstrained:
      return read_bounded(source, type.constraint(), at, path);
    case reflect::Kind::kDynamic:
      return read_value(source, *static_cast<Value*>(at), path);
    case reflect::Kind::kText:
      return read_text(source, type, at, path);
    case reflect::Kind::kSet:
      return read_set(source, type, at, path);
    case reflect::Kind::kView:
    case reflect::Kind::kChars:
      complaints_.add(path, reflect::wording::kWrittenOnly);
      return skip(source, path);
  }
  std::unreachable();
}

bool Reader::read_bool(Source& source, const Type& type, void* at, const Path& path) {
  const std::string_view token = token_of(source);
  if (token != "true" && token != "false") {
    return skip_mistyped(source, type, path);
  }
  *static_cast<bool*>(at) = token == "true";
  return true;
}

bool Reader::read_integer(Source& source, const Type& type, void* at, const Path& path) {
  const std::string_view token = token_of(source);
  const NumberForm form = number_form(token);
  std::optional<std::string> digits;
  if (form == NumberForm::kReal) {
    digits = integer_digits(token);
  }
  if (form != NumberForm::kInteger && !digits) {
    return skip_mistyped(source, type, path);
  }
  if (reflect::parse_integer(type, at, digits ? *digits : token) != Parsed::kDone) {
    complaints_.add(path, range_requirement(type));
  }
  return true;
}

bool Reader::read_real(Source& source, const Type& type, void* at, const Path& path) {
  const std::string_view token = token_of(source);
  if (number_form(token) == NumberForm::kNone) {
    return skip_mistyped(source, type, path);
  }
  if (reflect::parse_real(type, at, token) != Parsed::kDone) {
    complaints_.add(path, range_requirement(type));
  }
  return true;
}

bool Reader::read_string(Source& source, const Type& type, void* at, const Path& path) {
  if (!is(source, Kind::string)) {
    return skip_mistyped(source, type, path);
  }
  const std::string_view text = string_of(source);
  if (text.data() == nullptr) {
    return false;
  }
  static_cast<std::string*>(at)->assign(text);
  return true;
}

bool Reader::read_enum(Source& source, const Type& type, void* at, const Path& path) {
  if (!is(source, Kind::string)) {
    return skip_mistyped(source, type, path);
  }
  const std::string_view text = string_of(source);
  if (text.data() == nullptr) {
    return false;
  }
  const reflect::Enumerator* const found = type.enumeration().find(text);
  if (found == nullptr || !reflect::try_store_signed(type, at, found->value)) {
    complaints_.add(path, requirement(type));
  }
  return true;
}

bool Reader::read_text(Source& source, const Type& type, void* at, const Path& path) {
  if (!is(source, Kind::string)) {
    return skip_mistyped(source, type, path);
  }
  const std::string_view text = string_of(source);
  if (text.data() == nullptr) {
    return false;
  }
  if (!type.text().read(at, text)) {
    complaints_.add(path, requirement(type));
  }
  return true;
}

bool Reader::read_optional(Source& source, const reflect::Optional& type, void* at,
                           const Path& path) {
  if (token_of(source) == "null") {
    type.set_null(at);
    return true;
  }
  return read(source, *type.value, type.emplace(at), path);
}

bool Reader::read_bounded(Source& source, const reflect::Constraint& type, void* at,
                          const Path& path) {
  const std::size_t errors_before = complaints_.count();
  if (!read(source, *type.value, at, path)) {
    return false;
  }
  if (complaints_.count() != errors_before) {
    return true;  // rules are about values that are there
  }
  for (const reflect::Rule& rule : type) {
    if (!rule.check(at)) {
      complaints_.add(path, complaints_.has_room() ? requirement(type, rule) : Requirement());
    }
  }
  return true;
}

bool Reader::read_sequence(Source& source, const Type& type, void* at, const Path& path) {
  if (!is(source, Kind::array)) {
    return skip_mistyped(source, type, path);
  }
  const reflect::Sequence& sequence = type.sequence();
  sequence.clear(at);
  return each_element(source, path, [&](Source& element, const Path& element_path) {
    return read(element, *sequence.element, sequence.append(at), element_path);
  });
}

bool Reader::read_set(Source& source, const Type& type, void* at, const Path& path) {
  if (!is(source, Kind::array)) {
    return skip_mistyped(source, type, path);
  }
  const reflect::Set& set = type.set();
  set.clear(at);
  return each_element(source, path, [&](Source& element, const Path& element_path) {
    auto fill = [&](void* slot) { return read(element, *set.element, slot, element_path); };
    const auto added = set.add(at, &fill, [](void* context, void* slot) {
      return (*static_cast<decltype(fill)*>(context))(slot);
    });
    if (added == reflect::Set::Added::kDoubled) {
      complaints_.add(element_path, reflect::wording::kDoubled);
    }
    return added != reflect::Set::Added::kFailed;
  });
}

bool Reader::read_array(Source& source, const Type& type, void* at, const Path& path) {
  if (!is(source, Kind::array)) {
    return skip_mistyped(source, type, path);
  }
  const reflect::Array& array = type.array();
  std::size_t count = 0;
  const bool is_read = each_element(source, path, [&](Source& element, const Path& element_path) {
    const std::size_t index = count++;
    return index < array.count
               ? read(element, *array.element,
                      static_cast<char*>(at) + index * array.element->bytes, element_path)
               : skip(element, element_path);
  });
  if (is_read && count != array.count) {
    complaints_.add(path, requirement(type));
  }
  return is_read;
}

bool Reader::read_map(Source& source, const Type& type, void* at, const Path& path) {
  if (!is(source, Kind::object)) {
    return skip_mistyped(source, type, path);
  }
  const reflect::Map& map = type.map();
  map.clear(at);
  return each_member(source, path,
                     [&](Source& value, std::string_view name, const Path& value_path) {
                       void* const slot = map.insert(at, name);
                       if (slot == nullptr) {
                         complaints_.add(value_path, reflect::wording::kDoubled);
                         return skip(value, value_path);
                       }
                       return read(value, *map.value, slot, value_path);
                     });
}

}  // namespace eider::json::detail
