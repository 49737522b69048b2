// The files of swagger-ui-dist, which the build puts into the program (assets.cc.in).
// Must not be read by anything but swagger.cc.
#pragma once

#include <string_view>

namespace eider::detail::swagger {

[[nodiscard]] std::string_view bundle() noexcept;
[[nodiscard]] std::string_view licences() noexcept;
[[nodiscard]] std::string_view style() noexcept;
[[nodiscard]] std::string_view icon() noexcept;

}  // namespace eider::detail::swagger
