// Reads the key-value pairs of a query string or a form into a struct.
// Layering: must not know requests.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "eider/core/base/result.h"
#include "eider/core/reflect/type.h"

namespace eider {

/// How names that are not members are treated. The error of a form is that of a JSON object, and
/// the error of a query names a parameter.
enum class UnknownPairs : std::uint8_t { reject_member, reject_parameter, ignore };

/// Reads `name=value&name=value` (application/x-www-form-urlencoded, decoded as in the URL
/// standard) into the members of a struct. A sequence gets an element per pair; an optional stays
/// empty if the value is empty, and a Nullable is null. A bool is a checkbox: true for "on" and
/// "true", false for "false" and without a pair, because browsers send none for an unticked box (or
/// its initializer: do not give a checkbox one).
///
/// passed   a name that is ignored if no member has it; empty: none
/// unknown  whether all unknown names are ignored
/// returns  the errors, one per name: unknown, duplicate (except for sequences), missing (if the
///          member has no initializer and is not an optional, sequence or bool), or not of the
///          member's type
[[nodiscard]] std::vector<FieldError> read_pairs(
    const reflect::Type& type, void* object, std::string_view pairs, std::string_view passed = {},
    UnknownPairs unknown = UnknownPairs::reject_member);

/// Returns whether `read_pairs` reports an error if there is no pair for the member.
///
/// type   a struct
/// index  of the member
[[nodiscard]] bool needs_pair(const reflect::Type& type, std::size_t index);

/// Returns whether a type can be read from pairs: a struct of text values and lists of these.
[[nodiscard]] bool may_be_pairs(const reflect::Type& type) noexcept;

}  // namespace eider
