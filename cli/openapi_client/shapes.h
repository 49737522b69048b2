// JSON Schemas as shapes, with the references of one document.
// Layering: must not recurse along references, because a component can contain itself.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "cli/openapi/document.h"
#include "cli/openapi_client/api.h"

namespace eider::openapi_client {

using openapi::elements_of;
using openapi::is_true;
using openapi::members_of;
using openapi::text_at;

/// document  outlives this object
class Shapes {
 public:
  explicit Shapes(const json::Value& document);

  [[nodiscard]] Shape of(const json::Value& schema) const;
  /// Returns all components; one that only consists of references to itself is unknown.
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
