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

/// The limit of nested items, the same as the default of `Limits::depth_max` of JSON.
inline constexpr std::size_t kBinaryDepthMax = 64;

/// Appends one item of the format to `out`, converted to JSON text.
///
/// Byte strings become base64 text; CBOR tags are ignored, and undefined becomes null. Integers are
/// exact from -2^63 to 2^64-1.
///
/// returns  nothing on success, or else the error message for the client. On success, `out` has one
///          text of at most about 8 times the size of `bytes`. Invalid are truncated items, bytes
///          after the item, nesting deeper than kBinaryDepthMax, keys that are not text, text that
///          is not UTF-8, NaN and infinities, MessagePack's extension types, and values that the
///          formats reserve.
/// cost     one pass; the recursion is as deep as the item is nested
/// source   RFC 8949, section 3; github.com/msgpack/msgpack/blob/master/spec.md
[[nodiscard]] std::optional<std::string_view> read_binary(BinaryFormat format,
                                                          std::string_view bytes, Buffer& out);

/// Appends `value` in that format. Integers have their shortest encoding; other numbers have single
/// precision if that is exact.
void write_binary(BinaryFormat format, std::string& out, const Value& value);

}  // namespace eider::json
