// Selects the language of a response from the client's Accept-Language header.
// Layering: must not translate.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

namespace eider {

/// What a longer field asks for is not looked at.
inline constexpr std::size_t kAcceptLanguageBytesMax = 1024;

/// The language of the greatest weight that is offered; among equals the client's first. Whoever
/// asks for "de-AT" gets "de" where there is no more exact one.
///
/// field_value  of Accept-Language
/// offered      tags, "de", "pt-BR"; what "*" asks for first
/// returns      an index into `offered`; nothing where none is wanted
/// source       RFC 9110, section 12.5.4; RFC 4647, section 3.4 (lookup)
[[nodiscard]] std::optional<std::size_t> choose_language(
    std::string_view field_value, std::span<const std::string_view> offered) noexcept;

}  // namespace eider
