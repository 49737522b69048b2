// The built-in filters.
// Layering: must not know templates or the use of the result.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "eider/web/views/value.h"

namespace eider::views::filters {

/// ASCII letters alone: what upper case is elsewhere depends on the language.
[[nodiscard]] std::string upper(Ref text);
[[nodiscard]] std::string lower(Ref text);
/// Without blanks and line ends at both ends.
[[nodiscard]] std::string trim(Ref text);
/// At most `characters` of it (code points), "…" in place of the last where it is cut.
[[nodiscard]] std::string truncate(Ref text, Ref characters);
/// Of a time or date that is written as RFC 3339 has it, "2026-11-22T14:30:00Z", by %Y %m %d %e %b
/// %B %H %M %S and %%, in UTC; names of months are English. What is no such time stays as it is.
[[nodiscard]] std::string date(Ref time, Ref format);
/// The value where it holds (views::holds), else what stands in for it.
[[nodiscard]] std::string default_(Ref value, Ref fallback);
/// The elements of a list, with `separator` in between.
[[nodiscard]] std::string join(Ref list, Ref separator);
/// Elements of a list, entries of a map, code points of a text.
[[nodiscard]] std::int64_t length(Ref value);
[[nodiscard]] std::string json(Ref value);

/// Why a value of that type cannot be filtered so; empty: it can. Pre: find_filter knows the name.
[[nodiscard]] std::string_view objection(std::string_view filter, const reflect::Type& type);

}  // namespace eider::views::filters
