// Finds the endpoint for a method and a path. Built once, then read by all threads.
// Layering: must not know handlers (an endpoint is a number of the caller's) and must not allocate
// in `find`.
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

/// What a path and a method lead to.
struct Lookup {
  enum class Kind : std::uint8_t {
    found,               // `endpoint` answers, and the path's values are filled in
    not_found,           // no pattern matches the path: 404
    bad_request,         // a bad percent-escape or a NUL in the path: 400
    method_not_allowed,  // patterns match, but none with this method: 405 with Allow
    options,             // OPTIONS for a path (or "*") without a route of its own: 204 with Allow
  };

  Kind kind = Kind::not_found;
  std::uint32_t endpoint = 0;  // with `found`
  MethodSet allowed;           // with `method_not_allowed` and `options`

  /// The value of the Allow field.
  [[nodiscard]] std::string allow_text() const { return allowed.text(); }
};

/// Routes by specificity, not by order of registration.
///
/// Segment by segment from the left a literal wins over `{name}`, and `{name}` over `{rest...}`;
/// where a more specific pattern fails later in the path, or lacks the method, the next one is
/// tried. So with GET /a/{x} and POST /a/b, `GET /a/b` reaches the first.
///
/// - `{name}` is one segment that is not empty. `{rest...}` is all that is left and may be empty:
///   /files/{rest...} matches "/files/" but not "/files".
/// - A slash at the end counts: "/notes" and "/notes/" are two paths.
/// - A path is split at its slashes first and percent-decoded once after that, so "%2F" never
///   splits. No value ever has a "." or ".." segment in it, however it was escaped; the value of a
///   `{rest...}` has no empty segment either, save at its end. Such a path does not match.
/// - HEAD is answered by GET where it has no route of its own.
class Router {
 public:
  Router();
  ~Router();
  Router(Router&&) noexcept;
  Router& operator=(Router&&) noexcept;

  /// Pre: not frozen.
  ///
  /// pattern   as in pattern.h, e.g. "/users/{id}/posts/{post}"
  /// endpoint  what `find` gives back
  /// errors    a sentence for the developer: bad syntax (see pattern.h), or a pattern that matches
  ///           the same paths is there for this method already (both are named)
  [[nodiscard]] Result<void, std::string> add(Method method, std::string_view pattern,
                                              std::uint32_t endpoint);

  /// Lays the routes out for `find`. Call it once, before the first `find`.
  void freeze();

  /// Pre: frozen. From any thread.
  ///
  /// path     the target's path, not decoded; "*" for the server as a whole
  /// values   cleared, then filled when found: views into `path`, or into `scratch`
  /// scratch  used only when the path has a '%' in it: cleared, grown once, and to be left alone
  /// for
  ///          as long as the values are used
  /// cost     two probes of a table at most where a pattern without parameters matches
  [[nodiscard]] Lookup find(Method method, std::string_view path, PathValues& values,
                            Buffer& scratch) const noexcept;

 private:
  struct Draft;
  struct Frozen;

  [[nodiscard]] Lookup find_decoded(route::Search& search, Buffer& scratch) const noexcept;

  std::unique_ptr<Draft> draft_;
  std::unique_ptr<Frozen> frozen_;
};

/// A path as patterns are compared with it: decoded once, a NUL for an escaped slash. One that is a
/// bad request is as it was.
///
/// returns  `path`, or what lies in `scratch` where there is something to decode
[[nodiscard]] std::string_view path_as_compared(std::string_view path, Buffer& scratch);

}  // namespace eider
