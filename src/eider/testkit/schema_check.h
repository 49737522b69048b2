// Validates a JSON value against a JSON Schema, as in OpenAPI documents.
// Layering: must reject violations of the keywords it knows, and ignore all others.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "eider/core/json/value.h"

namespace eider {

/// An error in a value.
///
/// pointer  where, in the value: a JSON pointer (RFC 6901)
/// reason   "must be at most 5"
struct SchemaFault {
  std::string pointer;
  std::string reason;
};

/// The selected members of a value: its other members may be missing even if they are required.
///
/// at     JSON pointer (RFC 6901) to the object, or to the list of objects
/// names  members that must not be missing
struct SelectedMembers {
  std::string at;
  std::vector<std::string> names;
};

/// Returns all errors of `value` according to a schema of JSON Schema 2020-12.
///
/// - All types: type, enum, const, $ref within the document, allOf, anyOf, oneOf, not.
/// - Objects and arrays: properties, required, additionalProperties, min- and maxProperties; items,
///   min- and maxItems, uniqueItems.
/// - Numbers: minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf.
/// - Text: minLength, maxLength (in code points), patterns (see Matches), and contentSchema of
///   application/json, whose errors are at the place of the text.
/// - `format`: date-time, date, `uuid`, email, `uri`, int32, int64, and those of Eider: duration,
///   precise-duration, time-of-day, local-date-time, decimal.
///
/// Other keywords and formats are ignored.
///
/// document  document that "$ref": "#/…" refers to
/// selected  the members that were selected, if any
/// source    JSON Schema 2020-12, Core and Validation
[[nodiscard]] std::vector<SchemaFault> check_schema(
    const json::Value& value, const json::Value& schema, const json::Value& document,
    const std::optional<SelectedMembers>& selected = std::nullopt);

}  // namespace eider
