// Converts type descriptions to JSON Schema (2020-12) for OpenAPI 3.1.
// Layering: must not know operations; the document decides about parameters and bodies.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "eider/core/json/value.h"
#include "eider/core/reflect/type.h"

namespace eider::detail::openapi {

/// The schemas of one document. A struct or an enum stands once among the components and is
/// referred to; so one may hold itself.
///
/// A struct's members are required as reading requires them, and no others are allowed.
class Schemas {
 public:
  /// What a value of that type looks like: a reference, or the schema itself.
  [[nodiscard]] json::Value of(const reflect::Type& type);
  /// The example of what is of that type: text, or JSON.
  [[nodiscard]] static json::Value example(const reflect::Type& type, std::string_view text);

  /// All that were referred to, by name in rising order.
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
