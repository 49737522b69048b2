// Converts CBOR (RFC 8949) and MessagePack to and from JSON.
// Layering: must not know types: the input becomes JSON text, which the JSON reader checks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "eider/core/base/buffer.h"
#include "eider/core/json/value.h"

namespace eider::json {

enum class BinaryFormat : std::uint8_t { cbor, msgpack };

/// Items within each other beyond which nothing is read: as `Limits::depth_max` of JSON.
inline constexpr std::size_t kBinaryDepthMax = 64;

/// Appends one item of that format to `out`, as the JSON text that says the same.
///
/// Byte strings are text in base64; tags (CBOR) are passed over, and undefined is null. Integers
/// are exact from -2^63 to 2^64-1.
///
/// returns  what is wrong, for the client's eyes; nothing where all is well. Then `out` holds one
///          text of at most 8 times the bytes of `bytes` and a few more. Wrong is what is cut off
///          or goes on behind the item, nests deeper than kBinaryDepthMax, has keys that are no
///          text, text that is no UTF-8, NaN or an infinity, MessagePack's extension types, and
///          what the formats reserve.
/// cost     one pass; recurses as deep as the item is nested
/// source   RFC 8949, section 3; github.com/msgpack/msgpack/blob/master/spec.md
[[nodiscard]] std::optional<std::string_view> read_binary(BinaryFormat format,
                                                          std::string_view bytes, Buffer& out);

/// Appends `value` in that format. Integers are written as short as can be, other numbers as
/// single precision where that is the same number.
void write_binary(BinaryFormat format, std::string& out, const Value& value);

}  // namespace eider::json
