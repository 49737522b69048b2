// Reads scalars from the plain text of a path, query, header or form.
// Layering: must not know the source of the text, nor decode it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "eider/core/base/result.h"
#include "eider/core/reflect/rule.h"
#include "eider/core/reflect/type_of.h"

namespace eider::reflect {

/// Reads the whole of `text` into the scalar of that type at `value`.
///
/// type     a bool ("true", "false"), number, std::string (in UTF-8), enum (by name), what has a
///          TextFormat, or a Sized, Bounded or optional of such
/// errors   what was asked for and is not so: "must be an integer"; `value` may be changed then
[[nodiscard]] Result<void, std::vector<Requirement>> read_text(const Type& type, void* value,
                                                               std::string_view text);

/// Whether read_text takes that type at all.
[[nodiscard]] bool is_text_type(const Type& type) noexcept;

/// What a value of that type must be: "must be an integer", "must be one of red, blue".
[[nodiscard]] Requirement requirement(const Type& type);

/// What a number of that type must lie within: "must be between -128 and 127".
/// Pre: kind is kSigned, kUnsigned or kReal.
[[nodiscard]] Requirement range_requirement(const Type& type);

/// What the tag of a variant must be: "must be one of Circle, Square".
[[nodiscard]] Requirement tag_requirement(const Variant& variant);

}  // namespace eider::reflect
