// Collects the conditions of a JSON Schema from all parts of a document.
// Layering: must not compare documents.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "cli/openapi/document.h"

namespace eider::openapi {

/// Schemas that apply together: a schema, its references, the keywords next to them, and all of its
/// allOf.
///
/// place     position; for a reference without other keywords, that of its target
/// parts     schemas that affect validation, without duplicates
/// choices   the lists of anyOf and oneOf; one element of each must apply
/// is_never  no value is valid
struct Schema {
  Part place;
  std::vector<Part> parts = {};
  std::vector<Part> choices = {};
  bool is_never = false;

  [[nodiscard]] bool says_nothing() const noexcept {
    return parts.empty() && choices.empty() && !is_never;
  }
};

/// Returns the combined schema of these places. Pre: there is at least one.
[[nodiscard]] Schema schema_of(Document& document, std::vector<Part> places);

/// Returns a schema without choices for each combination of choices; nothing if there are too many.
[[nodiscard]] std::optional<std::vector<Schema>> alternatives_of(Document& document,
                                                                 const Schema& schema);

/// Splits a schema by the types that it names: "string or null" into a string and null.
[[nodiscard]] std::vector<Schema> by_type(Document& document, const Schema& schema);

/// The following functions consider only `parts`, not `choices`:

/// Returns the values of a keyword, in the order of the parts.
[[nodiscard]] std::vector<const json::Value*> values_of(Document& document, const Schema& schema,
                                                        std::string_view keyword);
/// Returns the types that a value may have; nothing: any.
[[nodiscard]] std::optional<std::set<std::string>> types_of(Document& document,
                                                            const Schema& schema);
/// Returns the allowed values, as JSON; nothing: any.
[[nodiscard]] std::optional<std::vector<std::string>> enumeration_of(Document& document,
                                                                     const Schema& schema);
/// Return the required members, and the members with their own schema.
[[nodiscard]] std::vector<std::string> required_of(Document& document, const Schema& schema);
[[nodiscard]] std::vector<std::string_view> properties_of(Document& document, const Schema& schema);
/// Return whether a member with that name is allowed, and whether other members are forbidden.
[[nodiscard]] bool allows(Document& document, const Schema& schema, std::string_view property);
[[nodiscard]] bool is_closed(Document& document, const Schema& schema);
/// Return the schema of a member with that name, of members that no part names, and of a list
/// element at an index (all indexes from prefix_size_of on have the same schema).
[[nodiscard]] Schema property_of(Document& document, const Schema& schema, std::string_view name);
[[nodiscard]] Schema others_of(Document& document, const Schema& schema);
[[nodiscard]] Schema item_of(Document& document, const Schema& schema, std::size_t index);
[[nodiscard]] std::size_t prefix_size_of(Document& document, const Schema& schema);

}  // namespace eider::openapi
