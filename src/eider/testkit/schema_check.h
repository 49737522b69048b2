// Validates a JSON value against a JSON Schema, as in OpenAPI documents.
// Layering: must reject violations of the keywords it knows, and ignore all others.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "eider/core/json/value.h"

namespace eider {

/// One thing that is wrong with a value.
///
/// pointer  where, in the value: a JSON pointer (RFC 6901)
/// reason   "must be at most 5"
struct SchemaFault {
  std::string pointer;
  std::string reason;
};

/// What was asked for of a value: others of its members may be missing though they are required.
///
/// at     where the object, or the list of objects, stands: a JSON pointer (RFC 6901)
/// names  of members that may not
struct SelectedMembers {
  std::string at;
  std::vector<std::string> names;
};

/// All that is wrong with `value` by a schema of JSON Schema 2020-12.
///
/// Known are type, enum, const, $ref within the document, allOf, anyOf, oneOf, not; properties,
/// required, additionalProperties, min- and maxProperties; items, min- and maxItems, uniqueItems;
/// minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf; minLength, maxLength (of code
/// points) and patterns as Matches takes them; contentSchema of text that is application/json,
/// whose members lie where the text does; of `format` date-time, date, uuid, email, uri, int32,
/// int64, and what the library's own kinds say: duration, precise-duration, time-of-day,
/// local-date-time, decimal. Other words and formats say nothing.
///
/// document  what "$ref": "#/…" points into
/// selected  what was left in of the value
/// source    JSON Schema 2020-12, Core and Validation
[[nodiscard]] std::vector<SchemaFault> check_schema(
    const json::Value& value, const json::Value& schema, const json::Value& document,
    const std::optional<SelectedMembers>& selected = std::nullopt);

}  // namespace eider
