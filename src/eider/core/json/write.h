// Writes values as JSON text into an output buffer.
// Layering: must not fail for any value: values that JSON does not support have a documented
// substitute.
#pragma once

#include <string>

#include "eider/core/base/buffer.h"
#include "eider/core/reflect/type_of.h"

namespace eider::json {

/// Appends the object of type `type` at `object` to `out`, as one JSON text (RFC 8259).
///
/// Empty optional members of a struct are omitted; elsewhere they are null. NaN and infinities are
/// null. Bytes that are not UTF-8 become U+FFFD. Floating-point numbers have the shortest form that
/// reads back as the same number, always with a '.' or exponent; integers are exact. Enum values
/// without an enumerator are numbers. A null const char* is null.
///
/// cost  no allocation except in `out`; recurses as deep as the object is nested
void write(Buffer& out, const reflect::Type& type, const void* object);

template <class T>
void write(Buffer& out, const T& object) {
  write(out, reflect::type_of<T>(), &object);
}

/// Returns the JSON text as a string.
[[nodiscard]] std::string to_text(const reflect::Type& type, const void* object);

template <class T>
[[nodiscard]] std::string to_text(const T& object) {
  return to_text(reflect::type_of<T>(), &object);
}

/// Appends `text` as a JSON string, quoted and escaped.
void write_string(Buffer& out, std::string_view text);

}  // namespace eider::json
