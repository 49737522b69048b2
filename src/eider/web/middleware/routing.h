// Requests that mean another route than they say: methods in a field, slashes at the end.
// Must not let anything through that a route of the method that was meant would not.
#pragma once

#include <string>

#include "eider/app/handlers/middleware.h"

namespace eider {

struct MethodOverride {
  std::string header = "X-HTTP-Method-Override";
  /// Of the query, for forms of pages: "_method" makes `<form method="post"
  /// action="/notes/7?_method=DELETE">` one. Empty: none.
  std::string parameter = {};
};

/// A POST that names PUT, PATCH or DELETE is that, for routes, hooks and logs: for clients that can
/// send no other. No request becomes a safe one, which what keeps other sites out lets pass.
[[nodiscard]] Rewrite method_override(MethodOverride options = {});

/// Paths that end with slashes find the route without: "/notes/" is "/notes". Not beside
/// serve_files, whose folders end with one.
[[nodiscard]] Rewrite ignore_slashes();

/// Redirects a path that ends with slashes to the path without them (308: method, body and query
/// stay), if a route matches that and none matches the path as it came. A path that browsers could
/// read as another host's ("//evil.example/") is not redirected.
[[nodiscard]] Hook redirect_slashes();

}  // namespace eider
