// The built-in filters.
// Layering: must not know templates or the use of the result.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "eider/web/views/value.h"

namespace eider::views::filters {

/// Only ASCII letters are converted, because the upper case of others depends on the language.
[[nodiscard]] std::string upper(Ref text);
[[nodiscard]] std::string lower(Ref text);
/// Removes whitespace at both ends.
[[nodiscard]] std::string trim(Ref text);
/// Returns at most `characters` code points of the text; if it is cut, the last one is "…".
[[nodiscard]] std::string truncate(Ref text, Ref characters);
/// Formats a time or date in RFC 3339 format, "2026-11-22T14:30:00Z", with %Y %m %d %e %b %B %H %M
/// %S and %%, in UTC; names of months are English. Other texts are returned unchanged.
[[nodiscard]] std::string date(Ref time, Ref format);
/// Returns the value if it is true (views::holds), else the fallback.
[[nodiscard]] std::string default_(Ref value, Ref fallback);
/// Returns the elements of a list, separated by `separator`.
[[nodiscard]] std::string join(Ref list, Ref separator);
/// Returns the number of elements of a list, entries of a map, or code points of a text.
[[nodiscard]] std::int64_t length(Ref value);
[[nodiscard]] std::string json(Ref value);

/// Returns why the filter cannot be applied to a value of that type; empty: it can. Pre:
/// find_filter knows the name.
[[nodiscard]] std::string_view objection(std::string_view filter, const reflect::Type& type);

}  // namespace eider::views::filters
