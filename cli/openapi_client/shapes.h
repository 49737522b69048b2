// JSON Schemas as shapes, with the references of one document.
// Must not recurse along references: a component may hold itself.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "cli/openapi_client/api.h"

namespace eider::openapi_client {

/// The member of that name, if it is a string; else empty.
[[nodiscard]] std::string text_at(const json::Value& value, std::string_view name);
/// Whether the member of that name is true.
[[nodiscard]] bool is_true(const json::Value& value, std::string_view name);
/// The members of an object; none of anything else.
[[nodiscard]] const std::vector<json::Field>& members_of(const json::Value& value);
/// The elements of an array; none of anything else.
[[nodiscard]] const std::vector<json::Value>& elements_of(const json::Value& value);

/// Where a reference leads within the document, or the value itself; null where it leads nowhere.
[[nodiscard]] const json::Value* resolved(const json::Value& document, const json::Value& value);

/// document  outlives the shapes' making
class Shapes {
 public:
  explicit Shapes(const json::Value& document);

  [[nodiscard]] Shape of(const json::Value& schema) const;
  /// All components; one that would be made of itself and nothing else is unknown.
  [[nodiscard]] std::vector<Shape> components() const;

 private:
  [[nodiscard]] Shape reference(const std::string& to) const;
  [[nodiscard]] Shape typed(const json::Value& schema) const;
  [[nodiscard]] Shape of_type(const json::Value& schema, const std::string& type) const;
  [[nodiscard]] Shape object(const json::Value& schema) const;
  [[nodiscard]] std::vector<Shape> all_of(const json::Value& list) const;

  const json::Value& document_;
  std::set<std::string_view> names_;  // of components
};

}  // namespace eider::openapi_client
