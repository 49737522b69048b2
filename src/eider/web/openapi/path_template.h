// The path templates of an OpenAPI document.
// Layering: must not know the grammar of routes beyond braces.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace eider::detail::openapi {

/// Whether it is a route of the rest of a path: "/files/{path...}".
[[nodiscard]] bool takes_rest(std::string_view pattern) noexcept;
/// "/files/{path...}" is a template "/files/{path}".
[[nodiscard]] std::string template_of(std::string_view pattern);
/// The names of its parameters, in its order.
[[nodiscard]] std::vector<std::string> names_in(std::string_view path);
/// "/notes/{id}" becomes "/notes/{}": clients do not send the name, and by OpenAPI templates that
/// differ in names alone are the same.
[[nodiscard]] std::string without_names(std::string_view path);
/// Whether a route lies at `prefix` or below it: "/api/a" below "/api", "/apis" not.
[[nodiscard]] bool is_below(std::string_view pattern, std::string_view prefix) noexcept;

}  // namespace eider::detail::openapi
