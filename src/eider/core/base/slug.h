// Makes URL slugs from text: "Tea & Cake!" becomes "tea-cake".
// Layering: must not transliterate: which letters replace others depends on the language.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace eider {

/// Returns `text` as a slug: lowercase ASCII letters, digits and single dashes, shortened to
/// `bytes_max`.
///
/// returns  empty if no character can be kept; the slug of a slug is the same
[[nodiscard]] std::string to_slug(std::string_view text, std::size_t bytes_max = 64);

}  // namespace eider
