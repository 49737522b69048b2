// Reads JSON text into structs: one compiled reader for all types.
// Layering: must not generate a parser per type.
#pragma once

#include <concepts>
#include <string_view>
#include <utility>

#include "eider/core/base/result.h"
#include "eider/core/json/limits.h"
#include "eider/core/reflect/readable.h"

namespace eider::json {

/// Reads one JSON text (RFC 8259) into the object of type `type` at `object`.
///
/// text     not a part of `object`, and unchanged until the return; UTF-8, optionally with a byte
///          order mark (RFC 8259, section 8.1); strings are copied
/// object   a constructed object; after an error it is valid, with some members changed
/// errors   400  not JSON, not UTF-8, or beyond `limits`; the detail names the byte if known
///          422  fields() lists the validation errors by JSON pointer (RFC 6901): unknown, missing
///               and duplicate members, wrong types, values out of range, violated rules
/// cost     no allocation, except for the strings and containers of the object itself, strings with
///          escapes, and a text that is neither an object nor an array, which is copied
///
/// Members are required unless they are optional or have a default. `= ""` and `= {}` of a class
/// cannot be detected: write `= kOptional` (reflect/optional_initializer.h;
/// see docs/design/reflection.md). null is valid only for an optional, a Nullable or a
/// Value. 84.0 and 8.4e1 are the integer 84 (JSON Schema); 84.5 is not an integer. A number too
/// large for its member is an error, never rounded.
[[nodiscard]] Result<void> read_into(const reflect::Type& type, void* object, std::string_view text,
                                     const Limits& limits = {});

/// Reads one JSON text as a T. T must be default constructible. See read_into.
template <class T>
[[nodiscard]] Result<T> read(std::string_view text, const Limits& limits = {}) {
  static_assert(reflect::kIsReadable<T>,
                "eider: a view can be written, but not read: use std::string instead");
  static_assert(std::default_initializable<T>,
                "eider: only default-constructible types can be read: write a plain struct without "
                "constructors, or give each of its members a default constructor");
  Result<T> result;
  if (Result<void> done = read_into(reflect::type_of<T>(), &*result, text, limits); !done)
      [[unlikely]] {
    result = fail(std::move(done.error()));
  }
  return result;
}

}  // namespace eider::json
