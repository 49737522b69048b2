// Selects the media type and the language of a response from the client's Accept and
// Accept-Language headers.
// Layering: must not make content or translate.
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

/// Longer headers are ignored.
inline constexpr std::size_t kAcceptLanguageBytesMax = 1024;

/// Selects the offered language with the greatest weight; among equal ones, the client's first. A
/// client that requests "de-AT" gets "de" if there is no better match.
///
/// field_value  of Accept-Language
/// offered      language tags, "de", "pt-BR"; the first one that the field does not name is for "*"
/// returns      an index into `offered`, or nothing if no offered language is requested
/// source       RFC 9110, section 12.5.4; RFC 4647, section 3.4 (lookup)
[[nodiscard]] std::optional<std::size_t> choose_language(
    std::string_view field_value, std::span<const std::string_view> offered) noexcept;

}  // namespace eider
