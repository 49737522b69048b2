// Changes the route of a request: method override, trailing slashes.
// Layering: must not allow a request that the resulting route would reject.
#pragma once

#include <string>

#include "eider/app/handlers/middleware.h"

namespace eider {

struct MethodOverride {
  std::string header = "X-HTTP-Method-Override";
  /// Query parameter for forms of pages: with "_method", `<form method="post"
  /// action="/notes/7?_method=DELETE">` sends a DELETE. Default: none.
  std::string parameter = {};
};

/// Treats a POST that names PUT, PATCH or DELETE as that method, for routes, hooks and logs. For
/// clients that can only send GET and POST. A request never becomes a safe method, because CSRF
/// protection does not check safe ones.
[[nodiscard]] Rewrite method_override(MethodOverride options = {});

/// Finds routes without trailing slashes: "/notes/" is "/notes". Do not combine it with
/// serve_files, where folders end with a slash.
[[nodiscard]] Rewrite ignore_slashes();

/// Redirects a path that ends with slashes to the path without them (308: method, body and query
/// stay). A route must match the new path, and no route may match the original path. A path that
/// browsers could read as another host's ("//evil.example/") is not redirected.
[[nodiscard]] Hook redirect_slashes();

}  // namespace eider
