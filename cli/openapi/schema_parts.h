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

/// Schemas that hold together: one, what it refers to, what stands beside the reference, and all of
/// its allOf.
///
/// place     where it stands; of a mere reference, where that leads
/// parts     those that say something, each once
/// choices   the lists of anyOf and oneOf, of each of which one has to hold
/// is_never  no value is right
struct Schema {
  Part place;
  std::vector<Part> parts = {};
  std::vector<Part> choices = {};
  bool is_never = false;

  [[nodiscard]] bool says_nothing() const noexcept {
    return parts.empty() && choices.empty() && !is_never;
  }
};

/// The schema at these places, which all hold. Pre: there is one.
[[nodiscard]] Schema schema_of(Document& document, std::vector<Part> places);

/// What a schema with choices comes to: a schema without for each way to choose. Nothing where
/// there are too many.
[[nodiscard]] std::optional<std::vector<Schema>> alternatives_of(Document& document,
                                                                 const Schema& schema);

/// The same value by each type that it may have, as far as these are told: "string or null" as a
/// string, and as null.
[[nodiscard]] std::vector<Schema> by_type(Document& document, const Schema& schema);

/// Of the parts alone:

/// A keyword's values, in the order of the parts.
[[nodiscard]] std::vector<const json::Value*> values_of(Document& document, const Schema& schema,
                                                        std::string_view keyword);
/// The types that a value may have; nothing: any.
[[nodiscard]] std::optional<std::set<std::string>> types_of(Document& document,
                                                            const Schema& schema);
/// The values that it may have, as JSON; nothing: any.
[[nodiscard]] std::optional<std::vector<std::string>> enumeration_of(Document& document,
                                                                     const Schema& schema);
/// The members that have to be there, and those that have a schema of their own.
[[nodiscard]] std::vector<std::string> required_of(Document& document, const Schema& schema);
[[nodiscard]] std::vector<std::string_view> properties_of(Document& document, const Schema& schema);
/// Whether there may be a member of that name, and whether of any.
[[nodiscard]] bool allows(Document& document, const Schema& schema, std::string_view property);
[[nodiscard]] bool is_closed(Document& document, const Schema& schema);
/// What a member of that name has to be; those that no part names; the element of a list at an
/// index, of which those from prefix_size_of on are alike.
[[nodiscard]] Schema property_of(Document& document, const Schema& schema, std::string_view name);
[[nodiscard]] Schema others_of(Document& document, const Schema& schema);
[[nodiscard]] Schema item_of(Document& document, const Schema& schema, std::size_t index);
[[nodiscard]] std::size_t prefix_size_of(Document& document, const Schema& schema);

}  // namespace eider::openapi
