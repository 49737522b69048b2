// Selects the media type of a response from the client's Accept header.
// Layering: must not make content.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

#include "eider/protocols/http/head.h"

namespace eider {

/// Selects the offered type with the greatest weight; among equal ones, the first one offered. The
/// weight of a type is that of the most specific range that matches it: "text/html" before "text/*"
/// before "*/*". Parameters of ranges, except `q`, and invalid ranges are ignored.
///
/// fields   of the request; Accept may have several lines
/// offered  media types, which may have parameters
/// returns  an index into `offered`: the first if there is no Accept header, and nothing if the
///          client accepts none of the types
/// source   RFC 9110, section 12.5.1
[[nodiscard]] std::optional<std::size_t> choose_media_type(
    std::span<const Field> fields, std::span<const std::string_view> offered) noexcept;

}  // namespace eider
