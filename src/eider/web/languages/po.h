// Reads catalogs in the text format of gettext (.po).
// Layering: must not open files or guess encodings.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "eider/core/base/result.h"
#include "eider/web/languages/catalogue.h"

namespace eider::detail::languages {

inline constexpr std::size_t kPoBytesMax = std::size_t{4} << 20U;

/// Reads a catalog. Fuzzy, obsolete and untranslated messages are omitted. The plural rule in the
/// header applies to all messages; without one, that of English.
///
/// text    in UTF-8, up to kPoBytesMax
/// errors  the line number and the error: "12: …"
/// source  GNU gettext manual, "The Format of PO Files"
[[nodiscard]] Result<Catalogue, std::string> read_po(std::string_view text);

}  // namespace eider::detail::languages
