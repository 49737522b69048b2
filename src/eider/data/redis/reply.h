// Reads Redis responses into values, using the descriptions of their types.
// Layering: must not convert silently or repeat stored data in an error.
#pragma once

#include <string>
#include <string_view>

#include "eider/core/base/result.h"
#include "eider/core/reflect/type.h"
#include "eider/data/redis/resp.h"

namespace eider::redis::detail {

/// Reads one answer, or one value of an answer, that is no error.
///
/// type     a string (any bytes), a number, a bool, an enum or what has a TextFormat: from whatever
///          tells it, number or text; a bool also "OK" as true and null as false. A sequence, an
///          array or a set: from a list. A map: from a map, a list of names and values by turns, or
///          one of pairs. A struct: from a map by its members' names, what has no member is passed
///          over; or from a list by their order. An optional: empty for null, and a struct's for a
///          map without anything (which is what HGETALL says of a key that is not there)
/// value    a fresh one; partly filled when it fails
/// errors   what does not fit and where, in a sentence without what was stored
[[nodiscard]] Result<void, std::string> read_reply(const reflect::Type& type, void* value,
                                                   RespCursor& in);

}  // namespace eider::redis::detail
