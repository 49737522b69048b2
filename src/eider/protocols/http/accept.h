// Selects the media type of a response from the client's Accept header.
// Layering: must not make content.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

#include "eider/protocols/http/head.h"

namespace eider {

/// The offered type of the greatest weight; among equals the server's first. The most specific
/// range that a type falls under weighs it: "text/html" before "text/*" before "*/*". Parameters of
/// ranges other than `q` are passed over, and so are ranges that cannot be read.
///
/// fields   of the request; Accept may have several lines
/// offered  media types, which may have parameters
/// returns  an index into `offered`: the first where nothing is asked for, and nothing where all
///          are refused
/// source   RFC 9110, section 12.5.1
[[nodiscard]] std::optional<std::size_t> choose_media_type(
    std::span<const Field> fields, std::span<const std::string_view> offered) noexcept;

}  // namespace eider
