// Finds changes of an OpenAPI document that break clients of an older one.
// Layering: must not compare texts; summaries and descriptions can change freely.
#pragma once

#include <string>
#include <vector>

#include "eider/core/json/value.h"

namespace eider::openapi {

/// pointer  its position, or where it would be, in the newer document (RFC 6901)
/// what     "a request's property title is required now"
struct Change {
  std::string pointer;
  std::string what;

  friend bool operator==(const Change&, const Change&) = default;
};

/// Returns the changes that can break clients of the older document: removed routes, methods, media
/// types, responses and their members; parameters and members that are required now; new
/// authentication requirements; values that requests may no longer contain, or that responses may
/// contain now. In the order of the older document, without duplicates.
///
/// Paths are equal if they differ only in the names of path parameters. A removed part of a request
/// counts, because the server would reject or ignore it; a new part of a response does not, because
/// clients ignore it. Servers and operation ids are not compared. Security schemes are equal,
/// whatever their names, if clients send the same.
///
/// For schemas, all conditions that apply together count: keywords next to a reference, and allOf.
/// For anyOf and oneOf, each older alternative must match a newer one (in responses, the reverse).
/// A `not`, or an `if` with its branches, must be kept or be stricter.
///
/// cost  proportional to the size of the documents, whatever their references; if the limit is
///       reached, the last change reports that the comparison is incomplete
/// Pre: both are OpenAPI documents, version 3.0 or 3.1, with references only within them.
[[nodiscard]] std::vector<Change> breaking_changes(const json::Value& older,
                                                   const json::Value& newer);

}  // namespace eider::openapi
