// Finds changes of an OpenAPI document that break clients of an older one.
// Layering: must not compare texts; summaries and descriptions can change freely.
#pragma once

#include <string>
#include <vector>

#include "eider/core/json/value.h"

namespace eider::openapi {

/// pointer  where it stands in the newer document, or would stand (RFC 6901)
/// what     "a request's property title is required now"
struct Change {
  std::string pointer;
  std::string what;

  friend bool operator==(const Change&, const Change&) = default;
};

/// What clients of the older document may trip over: routes, methods, contents, answers and their
/// fields that are gone; parameters and members that are required now; ways to say who asks that
/// are asked for now; values that are refused now, or answered now. In the order of the older
/// document, each place once.
///
/// A path is the same whatever its parameters are called. What is gone of a request counts, as it
/// would be refused or come to nothing; what is new in a response does not, as clients skip it.
/// Servers and operation ids are not looked at. A scheme of security is the same whatever it is
/// called, as long as clients send the same.
///
/// Of schemas all counts that holds: what stands beside a reference, allOf, and of anyOf and oneOf
/// that each older alternative has a place among the newer ones (of a response the other way
/// round). A `not`, or an `if` with its branches, holds by one that is like it or stricter.
///
/// cost  by the documents' size, however their references lead; where that comes to too much the
///       last change says that not all has been looked at
/// Pre: both are OpenAPI documents of 3.0 or 3.1, references within them.
[[nodiscard]] std::vector<Change> breaking_changes(const json::Value& older,
                                                   const json::Value& newer);

}  // namespace eider::openapi
