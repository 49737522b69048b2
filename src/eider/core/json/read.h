// JSON text into values: one compiled reader walks the description of any type.
// Must not include the JSON parser, nor generate a parser per type.
#pragma once

#include <concepts>
#include <string_view>
#include <utility>

#include "eider/core/base/result.h"
#include "eider/core/json/limits.h"
#include "eider/core/reflect/readable.h"

namespace eider::json {

/// Reads one JSON text (RFC 8259) into the object of that type at `object`.
///
/// text     UTF-8, a byte order mark at the front being passed over (RFC 8259, section 8.1); not
///          kept: strings are copied
/// object   a constructed object; after an error it is valid, with some members changed
/// errors   400  not JSON, not UTF-8, or beyond `limits`; the detail names the byte where known
///          422  fields() lists what does not fit the type, by JSON pointer (RFC 6901): members
///               unknown, missing, doubled, of the wrong type, out of range or constraint
/// cost     no allocation once the thread has read a text of this size, save for the strings and
///          containers of the object itself
///
/// Members are required unless they are optional or have a default. `= ""` and `= {}` of a class
/// cannot be seen: write `= kEmpty` (reflect/empty.h; docs/design/reflection.md says why).
/// null is read into an optional, a Nullable or a Value only. 84.0 and 8.4e1 are the integer 84
/// (JSON Schema), 84.5 is none. A number too large for its member is an error, never rounded.
[[nodiscard]] Result<void> read_into(const reflect::Type& type, void* object, std::string_view text,
                                     const Limits& limits = {});

/// Reads one JSON text as a T; see read_into. T must be default constructible.
template <class T>
[[nodiscard]] Result<T> read(std::string_view text, const Limits& limits = {}) {
  static_assert(reflect::kIsReadable<T>,
                "eider: views can only be written: read into std::string instead");
  static_assert(std::default_initializable<T>,
                "eider: what is read is made first and filled then: write a plain struct, without "
                "constructors, or one whose members can be made of nothing");
  Result<T> result;
  if (Result<void> done = read_into(reflect::type_of<T>(), &*result, text, limits); !done)
      [[unlikely]] {
    result = fail(std::move(done.error()));
  }
  return result;
}

}  // namespace eider::json
