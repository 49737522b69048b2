// Names for addresses out of what people type: "Tea & Cake!" becomes "tea-cake".
// Must not transliterate: which letters stand for others depends on the language.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace eider {

/// Lower-case ASCII letters, digits and single dashes between them, as much of `text` as fits.
///
/// returns  empty when nothing of it can stay; a slug's slug is itself
[[nodiscard]] std::string to_slug(std::string_view text, std::size_t bytes_max = 64);

}  // namespace eider
