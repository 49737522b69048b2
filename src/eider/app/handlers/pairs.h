// The pairs of a query string or a form as a struct.
// Must not know requests.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "eider/core/base/result.h"
#include "eider/core/reflect/type.h"

namespace eider {

/// Pairs whose names are the names of no member.
enum class UnknownPairs : std::uint8_t { reject, ignore };

/// Reads `name=value&name=value` (application/x-www-form-urlencoded, as the URL standard decodes
/// it) into the struct's members of those names. A sequence gets an element per pair; an optional
/// stays empty where the value is empty, and a Nullable is null. A bool is a checkbox: "on" and
/// "true" tick it, "false" does not, and without a pair, which is what browsers send for a box that
/// is not ticked, it is false (or its initialiser: give a box none).
///
/// passed   a name that is passed over where no member is called so; empty: none
/// unknown  whether all such names are
/// returns  what is wrong, one entry per name: unknown, doubled (save for sequences), missing (when
///          the member has no initialiser and is no optional, sequence or bool), or not of the
///          member's type
[[nodiscard]] std::vector<FieldError> read_pairs(const reflect::Type& type, void* object,
                                                 std::string_view pairs,
                                                 std::string_view passed = {},
                                                 UnknownPairs unknown = UnknownPairs::reject);

/// Whether it is a struct of which pairs tell each member: values that are text, and lists of such.
[[nodiscard]] bool may_be_pairs(const reflect::Type& type) noexcept;

}  // namespace eider
