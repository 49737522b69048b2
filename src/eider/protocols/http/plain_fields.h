// Request headers that contain no secret.
// Layering: must not be used to interpret responses.
#pragma once

#include <string_view>

namespace eider {

/// Returns false for Authorization, Cookie and all unknown headers, such as X-Api-Key. These must
/// be sent only to the origin that they are for, and must not enter tables that requests share.
[[nodiscard]] bool is_plain_request_field(std::string_view name) noexcept;

}  // namespace eider
