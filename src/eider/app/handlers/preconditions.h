// Preconditions of a request that changes a resource, such as If-Match.
// Layering: must not know the resource; the handler passes its current version.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>

#include "eider/app/handlers/extract.h"
#include "eider/protocols/http/preconditions.h"

namespace eider {

/// The preconditions of a request (If-Match, If-None-Match, If-Unmodified-Since), for handlers that
/// change a resource. Check them in the transaction of the change. Tags identify a version in any
/// coding or format: `W/"7"` is "7" here.
///
///     app.put("/notes/{id}", [](int id, Json<Note> note, Preconditions preconditions, …)
///                                -> Result<…> {
///       …
///       if (auto holds = preconditions.require({.etag = stored.version}); !holds) {
///         return fail(holds.error());  // 412, or 428 without a precondition
///       }
///
/// source  RFC 9110, section 13; RFC 6585, section 3
class Preconditions {
 public:
  /// The current version of the resource.
  ///
  /// etag           as for ResponseOf::etag; empty: the resource has no tag, and no If-Match
  ///                matches
  /// last_modified  as for ResponseOf::last_modified
  struct Current {
    std::string_view etag{};
    std::optional<std::chrono::sys_seconds> last_modified{};
  };

  explicit Preconditions(const Request& request) noexcept : request_(&request) {}

  /// errors  412  the resource has changed
  [[nodiscard]] Result<void> check(const Current& current) const;
  /// Like `check`, if the resource does not exist: a PUT that creates it (`If-None-Match: *`)
  /// continues.
  [[nodiscard]] Result<void> check_absent() const;
  /// Requires a precondition, so that clients cannot overwrite the changes of others.
  ///
  /// errors  428  there is no If-Match, no `If-None-Match: *` and, if `last_modified` is set, no
  ///         If-Unmodified-Since with a date
  ///         412  as for `check`
  [[nodiscard]] Result<void> require(const Current& current) const;

 private:
  [[nodiscard]] Result<void> compare_with(const Representation& representation) const;

  const Request* request_;
};

template <>
struct Extract<Preconditions> {
  using Held = Preconditions;
  static Result<Held> from(const Context& context, ArgumentPlace);
  static void describe(Operation& operation);
};

}  // namespace eider
