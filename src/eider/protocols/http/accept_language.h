// Selects the language of a response from the client's Accept-Language header.
// Layering: must not translate.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

namespace eider {

/// Longer headers are ignored.
inline constexpr std::size_t kAcceptLanguageBytesMax = 1024;

/// Selects the offered language with the greatest weight; among equal ones, the client's first. A
/// client that requests "de-AT" gets "de" if there is no better match.
///
/// field_value  of Accept-Language
/// offered      language tags, "de", "pt-BR"; the first one is for "*"
/// returns      an index into `offered`, or nothing if no offered language is requested
/// source       RFC 9110, section 12.5.4; RFC 4647, section 3.4 (lookup)
[[nodiscard]] std::optional<std::size_t> choose_language(
    std::string_view field_value, std::span<const std::string_view> offered) noexcept;

}  // namespace eider
