// What a request asks to hold ahead of a change: that nobody else has been at it.
// Must not know what is changed: the handler says in which state that is.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>

#include "eider/app/handlers/extract.h"
#include "eider/protocols/http/preconditions.h"

namespace eider {

/// A parameter of handlers that change something: If-Match, If-None-Match and If-Unmodified-Since
/// of the request, to be held against what is there, in the transaction that changes it. A tag
/// names that state, in whatever coding or format a client has got it: `W/"7"` is "7" here.
///
///     app.put("/notes/{id}", [](int id, Json<Note> note, Conditions conditions, …) -> Result<…> {
///       …
///       if (auto holds = conditions.require({.etag = stored.version}); !holds) {
///         return fail(holds.error());  // 412, or 428 where the client names no state
///       }
///
/// source  RFC 9110, section 13; RFC 6585, section 3
class Conditions {
 public:
  /// What is there now.
  ///
  /// etag           as With::etag was given it; empty: it has none, and no If-Match names it
  /// last_modified  as With::last_modified
  struct Current {
    std::string_view etag{};
    std::optional<std::chrono::sys_seconds> last_modified{};
  };

  explicit Conditions(const Request& request) noexcept : request_(&request) {}

  /// errors  412  it is not in the state that the client means
  [[nodiscard]] Result<void> check(const Current& current) const;
  /// As `check`, of what is not there: a PUT that makes it (`If-None-Match: *`) goes on.
  [[nodiscard]] Result<void> check_absent() const;
  /// errors  428  the request names no state, and so would overwrite what others have changed: it
  ///              has no If-Match, no `If-None-Match: *`, and no If-Unmodified-Since of a date,
  ///              which counts where `last_modified` is given
  ///         412  as `check`
  [[nodiscard]] Result<void> require(const Current& current) const;

 private:
  [[nodiscard]] Result<void> hold_against(const Representation& representation) const;

  const Request* request_;
};

template <>
struct Extract<Conditions> {
  using Held = Conditions;
  static Result<Held> from(const Context& context, ArgumentPlace);
  static void describe(Operation& operation);
};

}  // namespace eider
