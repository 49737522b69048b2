// The path templates of an OpenAPI document.
// Layering: must not know the grammar of routes beyond braces.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace eider::detail::openapi {

/// Returns whether the pattern matches the rest of a path: "/files/{path...}".
[[nodiscard]] bool takes_rest(std::string_view pattern) noexcept;
/// Returns the OpenAPI template of a pattern: "/files/{path}" for "/files/{path...}".
[[nodiscard]] std::string template_of(std::string_view pattern);
/// Returns the names of its parameters, in order.
[[nodiscard]] std::vector<std::string> names_in(std::string_view path);
/// Returns "/notes/{}" for "/notes/{id}": clients do not send the name, and in OpenAPI, templates
/// that differ only in names are the same.
[[nodiscard]] std::string without_names(std::string_view path);
/// Returns whether a route is at `prefix` or below it: "/api/a" is below "/api", "/apis" is not.
[[nodiscard]] bool is_below(std::string_view pattern, std::string_view prefix) noexcept;

}  // namespace eider::detail::openapi
