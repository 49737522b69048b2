// Cuts a text that is shown to a user or sent back to a client.
// Layering: must not know what the text is.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace eider::detail::base {

/// Returns `text`, or at most that many bytes of it, with "…" instead of the rest. Characters of
/// UTF-8 are not split.
[[nodiscard]] std::string shortened(std::string_view text, std::size_t bytes_max);

}  // namespace eider::detail::base
