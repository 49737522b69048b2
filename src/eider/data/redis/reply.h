// Reads Redis responses into values, using the descriptions of their types.
// Layering: must not convert silently or repeat stored data in an error.
#pragma once

#include <string>
#include <string_view>

#include "eider/core/base/result.h"
#include "eider/core/reflect/type.h"
#include "eider/data/redis/resp.h"

namespace eider::redis::detail {

/// Reads one response, or one value of a response, that is not an error.
///
/// type     a string (any bytes), a number, a bool, an enum or a type with a TextFormat: from a
///          number or text; a bool also from "OK" (true) and null (false). A sequence, an array or
///          a set: from a list. A map: from a map, a list of alternating names and values, or a
///          list of pairs. A struct: from a map by the names of its members, ignoring others; or
///          from a list by their order. An optional: empty for null; an optional struct is also
///          empty for an empty map, which HGETALL returns for a missing key
/// value    a new value; partly filled after an error
/// errors   what does not fit, and where, in a sentence without stored data
[[nodiscard]] Result<void, std::string> read_reply(const reflect::Type& type, void* value,
                                                   RespCursor& in);

}  // namespace eider::redis::detail
