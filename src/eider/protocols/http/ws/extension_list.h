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

/// Bounds that no correct peer comes near.
inline constexpr std::size_t kExtensionsMax = 16;
inline constexpr std::size_t kExtensionParamsMax = 16;

/// value  without quotes and escapes, a token; nothing where there is no "="
struct ExtensionParam {
  std::string_view name;
  std::optional<std::string> value;
};

/// An extension in a header. Compare names without case.
struct Extension {
  std::string_view name;
  std::vector<ExtensionParam> params;
};

enum class ExtensionFault : std::uint8_t { bad_syntax, too_many };

/// All extensions of these fields in their order, those of several fields as if they stood in one.
///
/// returns  an empty list when there is no such field; names are views into the fields
/// errors   bad_syntax  not 1#extension, e.g. commas alone, or a quoted value that is no token; an
///                      empty field has no extensions
///          too_many    above the bounds
/// source   RFC 6455, section 9.1; RFC 9110, section 5.6
[[nodiscard]] Result<std::vector<Extension>, ExtensionFault> read_extensions(
    std::span<const Field> fields);

/// The same of one field's value.
[[nodiscard]] Result<std::vector<Extension>, ExtensionFault> read_extension_list(
    std::string_view value);

}  // namespace eider::ws
