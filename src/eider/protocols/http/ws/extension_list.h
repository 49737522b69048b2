// The Sec-WebSocket-Extensions header: names and parameters (RFC 6455, section 9.1).
// Layering: must not know any extension.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "eider/core/base/result.h"
#include "eider/protocols/http/head.h"

namespace eider::ws {

/// Limits that no correct peer reaches.
inline constexpr std::size_t kExtensionsMax = 16;
inline constexpr std::size_t kExtensionParamsMax = 16;

/// value  a token, without quotes and escapes; nothing if there is no "="
struct ExtensionParam {
  std::string_view name;
  std::optional<std::string> value;
};

/// An extension in a header. Compare names case-insensitively.
struct Extension {
  std::string_view name;
  std::vector<ExtensionParam> params;
};

enum class ExtensionFault : std::uint8_t { bad_syntax, too_many };

/// Reads all extensions of these fields in order; several fields count as one list.
///
/// returns  an empty list if there is no such field; names are views of the fields
/// errors   bad_syntax  not #extension, e.g. a quoted value that is not a token; an empty field or
///                      one of commas is an empty list
///          too_many    exceeds the limits
/// source   RFC 6455, section 9.1; RFC 9110, section 5.6
[[nodiscard]] Result<std::vector<Extension>, ExtensionFault> read_extensions(
    std::span<const Field> fields);

/// Reads the value of one field.
[[nodiscard]] Result<std::vector<Extension>, ExtensionFault> read_extension_list(
    std::string_view value);

}  // namespace eider::ws
