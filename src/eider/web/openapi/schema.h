// Converts type descriptions to JSON Schema (2020-12) for OpenAPI 3.1.
// Layering: must not know operations; the document decides about parameters and bodies.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "eider/core/json/value.h"
#include "eider/core/reflect/type.h"

namespace eider::detail::openapi {

/// The schemas of one document. Each struct or enum is a component that others refer to, so that it
/// can contain itself.
///
/// The required members of a struct are those that reading requires; additional members are not
/// allowed.
class Schemas {
 public:
  /// Returns the schema of a type: a reference, or the schema itself.
  [[nodiscard]] json::Value of(const reflect::Type& type);
  /// Returns the example of a type: text, or JSON.
  [[nodiscard]] static json::Value example(const reflect::Type& type, std::string_view text);

  /// Returns all components that were referred to, sorted by name.
  [[nodiscard]] json::Value components() const;

 private:
  [[nodiscard]] json::Value reference(const reflect::Type& type);
  [[nodiscard]] std::string name_of(const reflect::Type& type);
  [[nodiscard]] json::Value structure(const reflect::Structure& type, std::string_view tag);
  [[nodiscard]] json::Value variant(const reflect::Variant& type);
  [[nodiscard]] json::Value constrained(const reflect::Type& type);
  [[nodiscard]] json::Value member(const reflect::Structure& of_struct,
                                   const reflect::Member& member);
  [[nodiscard]] json::Value list(const reflect::Type& element);

  std::map<const reflect::Type*, std::string> names_;
  std::map<std::string, json::Value> components_;
};

}  // namespace eider::detail::openapi
