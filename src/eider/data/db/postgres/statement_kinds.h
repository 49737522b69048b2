// Classifies a statement by its first words.
// Layering: not a parser; the result may be too cautious.
#pragma once

#include <string_view>

namespace eider::db::postgres {

[[nodiscard]] bool is_copy(std::string_view sql) noexcept;

/// What it gives depends on a cursor of that name, which may be another one the next time.
[[nodiscard]] bool is_fetch(std::string_view sql) noexcept;

/// A SELECT that by its text changes nothing, waits for nobody's lock and leaves nothing behind:
/// without FOR, INTO and comments, and with no call but of functions that only compute.
[[nodiscard]] bool is_plain_read(std::string_view sql);

/// What it has set would be met by whoever is given the connection next.
///
/// sql  one statement or several: then any of them may be the one
[[nodiscard]] bool changes_session(std::string_view tag, std::string_view sql) noexcept;

}  // namespace eider::db::postgres
