// Text from a path, a query, a field or a cookie as a value of a described type.
// Must not know requests.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "eider/base/result.h"
#include "eider/reflect/type.h"

namespace eider {

/// Reads `text` into the object of that type. A sequence gets one more element; an optional gets a
/// value, or none where `text` is empty.
///
/// returns  nothing when it fits, else what is wrong: "must be a whole number"
[[nodiscard]] std::optional<std::string> assign_text(const reflect::Type& type, void* object,
                                                     std::string_view text);

/// Reads `key=value&key=value` (application/x-www-form-urlencoded, as the URL standard decodes it)
/// into the struct's members of those names.
///
/// returns  what is wrong, one entry per key: unknown, doubled (save for sequences), missing (when
///          the member has no initialiser and is not optional), or not of the member's type
[[nodiscard]] std::vector<FieldError> assign_pairs(const reflect::Type& type, void* object,
                                                   std::string_view pairs);

/// A decimal integer with low <= value <= high.
///
/// errors  a sentence with static lifetime
[[nodiscard]] Result<std::int64_t, const char*> whole_number(std::string_view text,
                                                             std::int64_t low,
                                                             std::int64_t high) noexcept;

}  // namespace eider
