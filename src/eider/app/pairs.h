// The pairs of a query string or a form as a struct.
// Must not know requests.
#pragma once

#include <string_view>
#include <vector>

#include "eider/base/result.h"
#include "eider/reflect/type.h"

namespace eider {

/// Reads `name=value&name=value` (application/x-www-form-urlencoded, as the URL standard decodes
/// it) into the struct's members of those names. A sequence gets an element per pair; an optional
/// stays empty where the value is empty.
///
/// returns  what is wrong, one entry per name: unknown, doubled (save for sequences), missing (when
///          the member has no initialiser and is neither optional nor a sequence), or not of the
///          member's type
[[nodiscard]] std::vector<FieldError> read_pairs(const reflect::Type& type, void* object,
                                                 std::string_view pairs);

}  // namespace eider
