#include "cli/openapi_client/shapes.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace eider::openapi_client {

namespace {

using json::Value;
using openapi::unescaped;
using Kind = Shape::Kind;

constexpr std::string_view kComponents = "#/components/schemas/";

Shape unknown(std::string why = {}) {
  return {.kind = Kind::unknown, .text = std::move(why)};
}

Shape literals(std::vector<Value> values) {
  return {.kind = Kind::literals, .literals = std::move(values)};
}

/// Returns whether the schema has only limits and patterns: {"multipleOf": 3}.
bool says_nothing(const Shape& shape) {
  return shape.kind == Kind::unknown && shape.text.empty();
}

Shape either(std::vector<Shape> parts) {
  if (parts.size() == 1) {
    return std::move(parts.front());
  }
  if (std::ranges::any_of(parts, says_nothing)) {
    return unknown();
  }
  return {.kind = Kind::either, .parts = std::move(parts)};
}

bool has_any(const Value& schema, std::initializer_list<std::string_view> keywords) {
  return std::ranges::any_of(keywords,
                             [&](std::string_view word) { return schema.find(word) != nullptr; });
}

/// Returns the type that the keywords of a schema without "type" imply: {"properties": …} is an
/// object.
std::string implied_type(const Value& schema) {
  if (has_any(schema, {"properties", "additionalProperties"})) {
    return "object";
  }
  return has_any(schema, {"items", "prefixItems"}) ? "array" : "";
}

/// Finds the components that refer to themselves without a value in between. These are the strongly
/// connected components of the reference graph.
///
/// source  Tarjan 1972, "Depth-first search and linear graph algorithms"
class Circles {
 public:
  explicit Circles(const std::vector<Shape>& components) : nodes_(components.size()) {
    std::map<std::string_view, std::size_t> places;
    for (const Shape& component : components) {
      places.emplace(component.name, places.size());
    }
    for (std::size_t i = 0; i < components.size(); ++i) {
      add_references(components[i], places, nodes_[i].leads_to);
    }
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      visit(i);
    }
  }

  [[nodiscard]] bool has(std::size_t component) const { return nodes_[component].is_in_circle; }

 private:
  struct Node {
    std::vector<std::size_t> leads_to = {};
    std::size_t tried = 0;   // index of the next reference
    std::size_t order = 0;   // of the visits, from 1
    std::size_t lowest = 0;  // of the visits that it can reach
    bool is_open = false;    // its cycle is not known yet
    bool is_in_circle = false;
  };

  static void add_references(const Shape& shape,
                             const std::map<std::string_view, std::size_t>& places,
                             std::vector<std::size_t>& to) {
    if (shape.kind == Kind::reference) {
      to.push_back(places.at(shape.text));
    } else if (shape.kind == Kind::either || shape.kind == Kind::both) {
      for (const Shape& part : shape.parts) {
        add_references(part, places, to);
      }
    }
  }

  void visit(std::size_t start) {
    enter(start);
    while (!path_.empty()) {
      Node& node = nodes_[path_.back()];
      if (node.tried == node.leads_to.size()) {
        leave();
        continue;
      }
      const std::size_t next = node.leads_to[node.tried++];
      if (nodes_[next].is_open) {
        node.lowest = std::min(node.lowest, nodes_[next].order);
      }
      enter(next);
    }
  }

  /// Does nothing for a visited component.
  void enter(std::size_t at) {
    Node& node = nodes_[at];
    if (node.order == 0) {
      node.order = node.lowest = ++visits_;
      node.is_open = true;
      path_.push_back(at);
      open_.push_back(at);
    }
  }

  void leave() {
    const std::size_t at = path_.back();
    const Node& node = nodes_[at];
    path_.pop_back();
    if (!path_.empty()) {
      Node& before = nodes_[path_.back()];
      before.lowest = std::min(before.lowest, node.lowest);
    }
    if (node.lowest != node.order) {
      return;
    }
    const bool is_circle =
        open_.back() != at || std::ranges::find(node.leads_to, at) != node.leads_to.end();
    while (node.is_open) {
      nodes_[open_.back()].is_in_circle = is_circle;
      nodes_[open_.back()].is_open = false;
      open_.pop_back();
    }
  }

  std::vector<Node> nodes_;
  std::vector<std::size_t> path_;
  std::vector<std::size_t> open_;
  std::size_t visits_ = 0;
};

}  // namespace

Shapes::Shapes(const Value& document) : document_(document) {
  for (const json::Field& field : members_of(document["components"]["schemas"])) {
    names_.insert(field.name);
  }
}

Shape Shapes::of(const Value& schema) const {
  if (schema.is_bool()) {
    return schema.boolean() ? unknown() : literals({});
  }
  if (!schema.is_object()) {
    return unknown(schema.is_null() ? "" : "is not a schema");
  }
  if (const std::string to = text_at(schema, "$ref"); !to.empty()) {
    return reference(to);
  }
  std::vector<Shape> parts = all_of(schema["allOf"]);
  for (const std::string_view word : {"anyOf", "oneOf"}) {
    if (schema.find(word) != nullptr) {
      parts.push_back(either(all_of(schema[word])));
    }
  }
  std::erase_if(parts, says_nothing);
  if (const Value* const only = schema.find("const"); only != nullptr) {
    parts.push_back(literals({*only}));
  } else if (const Value* const some = schema.find("enum"); some != nullptr) {
    parts.push_back(literals(elements_of(*some)));
  } else if (parts.empty() || has_any(schema, {"properties", "additionalProperties", "items"})) {
    parts.push_back(typed(schema));  // next to parts, "type": "object" alone adds nothing
  }
  return parts.size() == 1 ? std::move(parts.front())
                           : Shape{.kind = Kind::both, .parts = std::move(parts)};
}

Shape Shapes::reference(const std::string& to) const {
  const std::string_view name = std::string_view(to).substr(
      std::min(to.size(), to.starts_with(kComponents) ? kComponents.size() : to.size()));
  const bool is_component = !name.empty() && name.find('/') == name.npos;
  std::string component = unescaped(name);
  if (!is_component || !names_.contains(component)) {
    return unknown("unknown reference " + to);
  }
  return {.kind = Kind::reference, .text = std::move(component)};
}

Shape Shapes::typed(const Value& schema) const {
  std::vector<Shape> types;
  std::set<std::string> seen;  // a duplicate would double the contents at each level
  for (const Value& type : elements_of(schema["type"])) {
    const std::string name = type.is_string() ? type.text() : "";
    if (seen.insert(name).second) {
      types.push_back(of_type(schema, name));
    }
  }
  const std::string type = text_at(schema, "type");
  return types.empty() ? of_type(schema, type.empty() ? implied_type(schema) : type)
                       : either(std::move(types));
}

Shape Shapes::of_type(const Value& schema, const std::string& type) const {
  if (type == "object") {
    return object(schema);
  }
  if (type == "array") {
    const Value* const items = schema.find("items");
    const bool is_plain = items != nullptr && schema.find("prefixItems") == nullptr;
    return {.kind = Kind::list, .parts = {is_plain ? of(*items) : unknown()}};
  }
  static const std::map<std::string_view, Kind> kKinds = {{"null", Kind::null},
                                                          {"boolean", Kind::boolean},
                                                          {"integer", Kind::integer},
                                                          {"number", Kind::number},
                                                          {"string", Kind::string}};
  const auto found = kKinds.find(type);
  if (found == kKinds.end()) {
    return type.empty() ? unknown() : unknown("unknown type " + type);
  }
  const bool is_large =
      found->second == Kind::integer && schema["maximum"].kind() == Value::Kind::kUnsigned;
  return {.kind = found->second, .text = is_large ? "uint64" : text_at(schema, "format")};
}

/// Returns an object with members, a map, or both.
Shape Shapes::object(const Value& schema) const {
  Shape made{.kind = Kind::object};
  const std::vector<Value>& required = elements_of(schema["required"]);
  for (const json::Field& field : members_of(schema["properties"])) {
    Shape& member = made.parts.emplace_back(of(field.value));
    member.name = field.name;
    member.is_required = std::ranges::find(required, Value(field.name)) != required.end();
    member.about = text_at(field.value, "description");
  }
  const Value* const others = schema.find("additionalProperties");
  const bool is_closed = others != nullptr && others->is_bool() && !others->boolean();
  if (is_closed || (!made.parts.empty() && (others == nullptr || others->is_bool()))) {
    return made;
  }
  Shape map{.kind = Kind::map, .parts = {others == nullptr ? unknown() : of(*others)}};
  if (made.parts.empty()) {
    return map;
  }
  return {.kind = Kind::both, .parts = {std::move(made), std::move(map)}};
}

std::vector<Shape> Shapes::all_of(const Value& list) const {
  std::vector<Shape> all;
  for (const Value& schema : elements_of(list)) {
    all.push_back(of(schema));
  }
  return all;
}

std::vector<Shape> Shapes::components() const {
  std::vector<Shape> all;
  for (const json::Field& field : members_of(document_["components"]["schemas"])) {
    Shape& component = all.emplace_back(of(field.value));
    component.name = field.name;
    component.about = text_at(field.value, "description");
  }
  const Circles circles(all);
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (circles.has(i)) {
      all[i] = {.text = "consists of itself", .name = all[i].name};
    }
  }
  return all;
}

}  // namespace eider::openapi_client
