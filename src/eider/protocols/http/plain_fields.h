// Request headers that contain no secret.
// Layering: must not be used to interpret responses.
#pragma once

#include <string_view>

namespace eider {

/// False for Authorization and Cookie as well as for all that is not known, such as X-Api-Key:
/// these stay with the origin that they were meant for, and out of tables that requests share.
[[nodiscard]] bool is_plain_request_field(std::string_view name) noexcept;

}  // namespace eider
