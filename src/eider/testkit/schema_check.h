// A JSON value held against a JSON Schema, for what documents of applications say.
// Must not be lenient about what it knows, nor judge by words that it does not know.
#pragma once

#include <string>
#include <vector>

#include "eider/json/value.h"

namespace eider {

/// One thing that is wrong with a value.
///
/// pointer  where, in the value: a JSON pointer (RFC 6901)
/// reason   "must be at most 5"
struct SchemaFault {
  std::string pointer;
  std::string reason;
};

/// All that is wrong with `value` by a schema of JSON Schema 2020-12.
///
/// Known are type, enum, const, $ref within the document, allOf, anyOf, oneOf, not; properties,
/// required, additionalProperties, min- and maxProperties; items, min- and maxItems, uniqueItems;
/// minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf; minLength, maxLength (of code
/// points) and patterns as Matches takes them. Other words, `format` among them, say nothing.
///
/// document  what "$ref": "#/…" points into
/// source    JSON Schema 2020-12, Core and Validation
[[nodiscard]] std::vector<SchemaFault> check_schema(const json::Value& value,
                                                    const json::Value& schema,
                                                    const json::Value& document);

}  // namespace eider
