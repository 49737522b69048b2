// Represents bytes as Base64 text in JSON, queries, forms and paths.
// Layering: must not be left to programs to include: without it bytes would be a list of numbers.
#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "eider/core/reflect/text_kind.h"

namespace eider {

/// Standard base64 with padding, without other characters (RFC 4648, section 4), so that the same
/// bytes always have the same text. The limit of the request body and a Sized limit the number of
/// bytes.
template <>
struct TextFormat<std::vector<std::byte>> {
  static std::optional<std::vector<std::byte>> parse(std::string_view text);
  static std::string format(const std::vector<std::byte>& bytes);
  static constexpr TextSchema kSchema = {.requirement = "must be base64-encoded bytes",
                                         .format = "base64",
                                         .bytes_max = std::numeric_limits<std::size_t>::max()};
};

}  // namespace eider
