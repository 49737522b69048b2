// Classifies a statement by its first words.
// Layering: not a parser; the result may be too cautious.
#pragma once

#include <string_view>

namespace eider::db::postgres {

[[nodiscard]] bool is_copy(std::string_view sql) noexcept;

/// Its columns depend on the cursor of that name, which may be a different one the next time.
[[nodiscard]] bool is_fetch(std::string_view sql) noexcept;

/// A SELECT whose text shows that it changes nothing, takes no lock and leaves no state: without
/// FOR, INTO and comments, and with calls only of functions that only compute.
[[nodiscard]] bool is_plain_read(std::string_view sql);

/// Returns whether the statement changes session state that later jobs would see.
///
/// sql  one or several statements; any of them may change it
[[nodiscard]] bool changes_session(std::string_view tag, std::string_view sql) noexcept;

}  // namespace eider::db::postgres
