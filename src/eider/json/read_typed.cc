#include "eider/json/detail/reader.h"
#include "eider/json/detail/text.h"
#include "eider/reflect/constraints.h"
#include "eider/reflect/scalar.h"
#include "eider/reflect/text.h"

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
    case reflect::Kind::kView:
    case reflect::Kind::kChars:
      complain(path, "can be written only");
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
  if (number_form(token) != NumberForm::kInteger) {
    return skip_mistyped(source, type, path);
  }
  if (reflect::parse_integer(type, at, token) != Parsed::kDone) {
    complain(path, range_requirement(type));
  }
  return true;
}

bool Reader::read_real(Source& source, const Type& type, void* at, const Path& path) {
  const std::string_view token = token_of(source);
  if (number_form(token) == NumberForm::kNone) {
    return skip_mistyped(source, type, path);
  }
  if (reflect::parse_real(type, at, token) != Parsed::kDone) {
    complain(path, range_requirement(type));
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
    complain(path, requirement(type));
  }
  return true;
}

bool Reader::read_optional(Source& source, const reflect::Optional& type, void* at,
                           const Path& path) {
  if (token_of(source) == "null") {
    type.reset(at);
    return true;
  }
  return read(source, *type.value, type.emplace(at), path);
}

bool Reader::read_bounded(Source& source, const reflect::Constraint& type, void* at,
                          const Path& path) {
  const std::size_t errors_before = errors_found_;
  if (!read(source, *type.value, at, path)) {
    return false;
  }
  if (errors_found_ == errors_before && !satisfies(type, at)) {
    complain(path, requirement(type));
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
    complain(path, requirement(type));
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
                         complain(value_path, "occurs twice");
                         return skip(value, value_path);
                       }
                       return read(value, *map.value, slot, value_path);
                     });
}

}  // namespace eider::json::detail
