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
/// type     a bool ("true", "false"), number, std::string (in UTF-8), enum (by name), type with a
///          TextFormat, or a Sized, Bounded or optional of these
/// errors   the requirements that the text violates: "must be an integer"; `value` may then be
///          changed
[[nodiscard]] Result<void, std::vector<Requirement>> read_text(const Type& type, void* value,
                                                               std::string_view text);

/// Returns whether read_text supports the type.
[[nodiscard]] bool is_text_type(const Type& type) noexcept;

/// Returns the requirement for a value of the type: "must be an integer", "must be one of red,
/// blue".
[[nodiscard]] Requirement requirement(const Type& type);

/// Returns the requirement for the range of a number type: "must be between -128 and 127".
/// Pre: kind is kSigned, kUnsigned or kReal.
[[nodiscard]] Requirement range_requirement(const Type& type);

/// Returns the requirement for the tag of a variant: "must be one of Circle, Square".
[[nodiscard]] Requirement tag_requirement(const Variant& variant);

}  // namespace eider::reflect
