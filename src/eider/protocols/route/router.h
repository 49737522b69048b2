// Finds the endpoint for a method and a path. Built once, then read by all threads.
// Layering: must not know handlers (an endpoint is a number of the caller) and must not allocate in
// `find`.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "eider/core/base/result.h"
#include "eider/protocols/route/method_set.h"

namespace eider {

class Buffer;
class PathValues;

namespace route {
struct Search;
}

/// The result of a lookup by path and method.
struct Lookup {
  enum class Kind : std::uint8_t {
    found,               // `endpoint` is set, and so are the path parameters
    not_found,           // no pattern matches the path: 404
    bad_request,         // a bad percent-escape or a NUL in the path: 400
    method_not_allowed,  // patterns match, but none with this method: 405 with Allow
    options,             // OPTIONS for a path (or "*") without a route of its own: 204 with Allow
  };

  Kind kind = Kind::not_found;
  std::uint32_t endpoint = 0;  // with `found`
  MethodSet allowed;           // with `method_not_allowed` and `options`

  /// Returns the value of the Allow header.
  [[nodiscard]] std::string allow_text() const { return allowed.text(); }
};

/// Routes by specificity, not by order of registration.
///
/// Segment by segment from the left, a literal precedes `{name}`, and `{name}` precedes
/// `{rest...}`. If a more specific pattern fails later in the path, or lacks the method, the next
/// one is tried. So with GET /a/{x} and POST /a/b, `GET /a/b` finds the first.
///
/// - `{name}` is one segment that is not empty. `{rest...}` is the rest of the path and may be
///   empty: /files/{rest...} matches "/files/" but not "/files".
/// - A trailing slash matters: "/notes" and "/notes/" are different paths.
/// - A path is split at its slashes first and then percent-decoded once, so "%2F" never splits. No
///   path parameter contains a "." or ".." segment, even if it was escaped. The value of a
///   `{rest...}` has no empty segment either, except at its end. Such a path does not match.
/// - HEAD uses the route of GET if it has no route of its own.
class Router {
 public:
  Router();
  ~Router();
  Router(Router&&) noexcept;
  Router& operator=(Router&&) noexcept;

  /// Adds a route. Pre: not frozen.
  ///
  /// pattern   as in pattern.h, e.g. "/users/{id}/posts/{post}"
  /// endpoint  the number that `find` returns
  /// errors    a sentence for the developer: invalid syntax (see pattern.h), or an existing pattern
  ///           that matches the same paths with this method (the sentence names both)
  [[nodiscard]] Result<void, std::string> add(Method method, std::string_view pattern,
                                              std::uint32_t endpoint);

  /// Prepares the routes for `find`. Call it once, before the first `find`.
  void freeze();

  /// Finds the route of a method and path. Pre: frozen. Thread-safe.
  ///
  /// path     of the target, not decoded; "*" for the server as a whole
  /// values   cleared, then filled if a route is found: views of `path` or of `scratch`
  /// scratch  used only if the path contains a '%': cleared, and grown once; must not be changed as
  ///          long as the values are used
  /// cost     at most two probes of a table if a pattern without parameters matches
  [[nodiscard]] Lookup find(Method method, std::string_view path, PathValues& values,
                            Buffer& scratch) const noexcept;

 private:
  struct Draft;
  struct Frozen;

  [[nodiscard]] Lookup find_decoded(route::Search& search, Buffer& scratch) const noexcept;

  std::unique_ptr<Draft> draft_;
  std::unique_ptr<Frozen> frozen_;
};

/// Returns a path in the form that patterns are compared with: decoded once, with a NUL for an
/// escaped slash. An invalid path is returned unchanged.
///
/// returns  `path`, or a view of `scratch` if there was something to decode
[[nodiscard]] std::string_view path_as_compared(std::string_view path, Buffer& scratch);

}  // namespace eider
