#include "cli/openapi/schema_parts.h"

#include <algorithm>
#include <array>
#include <map>
#include <unordered_set>
#include <utility>

#include "eider/core/json/write.h"

namespace eider::openapi {

namespace {

using json::Value;

constexpr std::size_t kAlternativesMax = 256;
/// Keywords that affect validation. A schema without any of these is only documentation.
constexpr std::array<std::string_view, 27> kKeywords = {"type",
                                                        "nullable",
                                                        "enum",
                                                        "const",
                                                        "properties",
                                                        "required",
                                                        "items",
                                                        "minimum",
                                                        "exclusiveMinimum",
                                                        "maximum",
                                                        "exclusiveMaximum",
                                                        "minLength",
                                                        "maxLength",
                                                        "minItems",
                                                        "maxItems",
                                                        "minProperties",
                                                        "maxProperties",
                                                        "multipleOf",
                                                        "pattern",
                                                        "format",
                                                        "uniqueItems",
                                                        "additionalProperties",
                                                        "patternProperties",
                                                        "prefixItems",
                                                        "dependentRequired",
                                                        "if",
                                                        "not"};

bool says_something(const Value& schema) {
  return schema.is_object() && std::ranges::any_of(schema.members(), [](const json::Field& field) {
           return std::ranges::find(kKeywords, field.name) != kKeywords.end();
         });
}

bool is_list(const Value& value) {
  return value.is_array() && value.size() != 0;
}

/// Returns whether the place is a reference without other keywords that affect validation.
bool is_mere_reference(Document& document, const Part& place) {
  if (document.target(place).value->is_null() || says_something(*place.value)) {
    return false;
  }
  return std::ranges::none_of(std::array{"allOf", "anyOf", "oneOf"}, [&](const char* keyword) {
    return document.find(*place.value, keyword) != nullptr;
  });
}

Part place_of(Document& document, Part place) {
  std::unordered_set<const Value*> seen;
  while (seen.insert(place.value).second && is_mere_reference(document, place)) {
    place = document.target(place);
  }
  return place;
}

/// Collects the parts that apply together. Each part is visited once, so that cycles end.
class Gathering {
 public:
  Gathering(Document& document, Schema& into) : document_(document), into_(into) {
    for (const Part& part : into.parts) {
      seen_.insert(part.value);
    }
  }

  void add(Part first) {
    wait_for(std::move(first));
    while (!waiting_.empty() && !document_.is_worn_out()) {
      const Part part = std::move(waiting_.back());
      waiting_.pop_back();
      look_at(part);
    }
  }

 private:
  void wait_for(Part part) {
    if (seen_.insert(part.value).second) {
      waiting_.push_back(std::move(part));
    }
  }

  void look_at(const Part& part) {
    into_.is_never |= part.value->is_bool() && !part.value->boolean();
    if (!part.value->is_object()) {
      return;
    }
    if (says_something(*part.value)) {
      into_.parts.push_back(part);
    }
    for (const std::string_view keyword : {"anyOf", "oneOf"}) {
      const Value* const list = document_.find(*part.value, keyword);
      if (list != nullptr && is_list(*list)) {
        into_.choices.push_back({list, below(part.pointer, keyword)});
      }
    }
    add_all(part);
    if (Part target = document_.target(part); !target.value->is_null()) {
      wait_for(std::move(target));
    }
  }

  /// Pointers are created only for new parts, because most parts of many are already known.
  void add_all(const Part& part) {
    const Value* const all = document_.find(*part.value, "allOf");
    if (all == nullptr || !all->is_array()) {
      return;
    }
    const Part list{all, below(part.pointer, "allOf")};
    for (std::size_t i = all->size(); i != 0; --i) {
      if (seen_.insert(&(*all)[i - 1]).second) {
        waiting_.push_back(document_.element(list, i - 1));
      }
    }
  }

  Document& document_;
  Schema& into_;
  std::unordered_set<const Value*> seen_;
  std::vector<Part> waiting_ = {};
};

/// A schema while its choices are being resolved, and the choices resolved so far.
struct Choosing {
  Schema schema;
  std::vector<const Value*> chosen_from = {};

  /// Returns whether it repeats a choice: its alternatives are already covered.
  [[nodiscard]] bool goes_round() const {
    return std::ranges::any_of(schema.choices, [this](const Part& choice) {
      return std::ranges::find(chosen_from, choice.value) != chosen_from.end();
    });
  }
};

std::optional<std::set<std::string>> types_in(Document& document, const Value& part) {
  const Value* const type = document.find(part, "type");
  std::set<std::string> all;
  if (type != nullptr && type->is_string()) {
    all.insert(type->text());
  } else if (type != nullptr && type->is_array()) {
    for (const Value& one : type->elements()) {
      all.insert(one.is_string() ? one.text() : std::string());
    }
  } else {
    return std::nullopt;
  }
  const Value* const nullable = document.find(part, "nullable");  // OpenAPI 3.0
  if (nullable != nullptr && nullable->is_bool() && nullable->boolean()) {
    all.insert("null");
  }
  return all;
}

/// Returns the common types; an integer is also a number.
std::set<std::string> common(const std::set<std::string>& one, const std::set<std::string>& other) {
  std::set<std::string> both;
  for (const std::string& type : one) {
    if (other.contains(type)) {
      both.insert(type);
    } else if ((type == "integer" && other.contains("number")) ||
               (type == "number" && other.contains("integer"))) {
      both.insert("integer");
    }
  }
  return both;
}

std::optional<std::vector<std::string>> enumeration_in(Document& document, const Value& part) {
  if (const Value* const only = document.find(part, "const"); only != nullptr) {
    return std::vector{json::to_text(*only)};
  }
  const Value* const all = document.find(part, "enum");
  if (all == nullptr || !all->is_array()) {
    return std::nullopt;
  }
  std::vector<std::string> texts;
  for (const Value& one : all->elements()) {
    texts.push_back(json::to_text(one));
  }
  return texts;
}

bool is_false(const Value* value) {
  return value != nullptr && value->is_bool() && !value->boolean();
}

/// Returns the combined schema of all places; without places, one without conditions.
Schema schema_of_any(Document& document, std::vector<Part> places, const Part& otherwise) {
  if (places.empty()) {
    return {.place = otherwise};
  }
  return schema_of(document, std::move(places));
}

/// Returns the combined schema of a keyword in all parts.
Schema schema_below(Document& document, const Schema& schema, std::string_view keyword) {
  std::vector<Part> places;
  for (const Part& part : schema.parts) {
    const Value* const found = document.find(*part.value, keyword);
    if (found != nullptr && found->is_object()) {
      places.push_back({found, below(part.pointer, keyword)});
    }
  }
  return schema_of_any(document, std::move(places), schema.place);
}

const Value* find_property(Document& document, const Value& part, std::string_view name) {
  const Value* const properties = document.find(part, "properties");
  return properties == nullptr ? nullptr : document.find(*properties, name);
}

}  // namespace

Schema schema_of(Document& document, std::vector<Part> places) {
  Schema made{.place = place_of(document, places.front())};
  Gathering gathering(document, made);
  for (Part& place : places) {
    gathering.add(std::move(place));
  }
  return made;
}

std::optional<std::vector<Schema>> alternatives_of(Document& document, const Schema& schema) {
  std::vector<Schema> made;
  std::vector<Choosing> waiting;
  waiting.push_back({schema});
  while (!waiting.empty()) {
    Choosing choosing = std::move(waiting.back());
    waiting.pop_back();
    if (choosing.schema.choices.empty()) {
      made.push_back(std::move(choosing.schema));
      continue;
    }
    const Part choice = choosing.schema.choices.front();
    choosing.schema.choices.erase(choosing.schema.choices.begin());
    choosing.chosen_from.push_back(choice.value);
    if (choosing.chosen_from.size() > kAlternativesMax || document.is_worn_out()) {
      return std::nullopt;
    }
    for (std::size_t i = choice.value->size(); i != 0; --i) {
      Choosing next = choosing;
      const Part option = document.element(choice, i - 1);
      next.schema.place = place_of(document, option);
      Gathering(document, next.schema).add(option);
      if (!next.goes_round()) {
        waiting.push_back(std::move(next));
      }
      if (made.size() + waiting.size() > kAlternativesMax) {
        return std::nullopt;
      }
    }
  }
  return made;
}

std::vector<Schema> by_type(Document& document, const Schema& schema) {
  static const std::map<std::string, Value> kTypes = [] {
    std::map<std::string, Value> all;
    for (const char* const type :
         {"null", "boolean", "integer", "number", "string", "array", "object"}) {
      all.emplace(type, json::object({{"type", type}}));
    }
    return all;
  }();
  const auto types = types_of(document, schema);
  const bool are_known = types && std::ranges::all_of(*types, [](const std::string& type) {
                           return kTypes.contains(type);
                         });
  if (!are_known || types->size() < 2) {
    return {schema};
  }
  std::vector<Schema> made;
  for (const std::string& type : *types) {
    made.push_back(schema);
    made.back().parts.push_back({&kTypes.at(type), schema.place.pointer});
  }
  return made;
}

std::vector<const Value*> values_of(Document& document, const Schema& schema,
                                    std::string_view keyword) {
  std::vector<const Value*> all;
  for (const Part& part : schema.parts) {
    if (const Value* const found = document.find(*part.value, keyword); found != nullptr) {
      all.push_back(found);
    }
  }
  return all;
}

std::optional<std::set<std::string>> types_of(Document& document, const Schema& schema) {
  std::optional<std::set<std::string>> all;
  for (const Part& part : schema.parts) {
    if (auto types = types_in(document, *part.value)) {
      all = all ? common(*all, *types) : *std::move(types);
    }
  }
  return all;
}

std::optional<std::vector<std::string>> enumeration_of(Document& document, const Schema& schema) {
  std::optional<std::vector<std::string>> all;
  for (const Part& part : schema.parts) {
    auto texts = enumeration_in(document, *part.value);
    if (texts && all) {
      const std::set<std::string> among(texts->begin(), texts->end());
      std::erase_if(*all, [&](const std::string& text) { return !among.contains(text); });
    } else if (texts) {
      all = std::move(texts);
    }
  }
  return all;
}

std::vector<std::string> required_of(Document& document, const Schema& schema) {
  std::vector<std::string> names;
  std::unordered_set<std::string_view> seen;
  for (const Value* const required : values_of(document, schema, "required")) {
    for (std::size_t i = 0; required->is_array() && i < required->size(); ++i) {
      const Value& name = (*required)[i];
      if (name.is_string() && seen.insert(name.text()).second) {
        names.push_back(name.text());
      }
    }
  }
  return names;
}

std::vector<std::string_view> properties_of(Document& document, const Schema& schema) {
  std::vector<std::string_view> names;
  std::unordered_set<std::string_view> seen;
  for (const Value* const properties : values_of(document, schema, "properties")) {
    for (std::size_t i = 0; properties->is_object() && i < properties->size(); ++i) {
      const std::string_view name = properties->members()[i].name;
      if (seen.insert(name).second) {
        names.push_back(name);
      }
    }
  }
  return names;
}

bool allows(Document& document, const Schema& schema, std::string_view property) {
  return std::ranges::all_of(schema.parts, [&](const Part& part) {
    const Value* const others = document.find(*part.value, "additionalProperties");
    return !is_false(others) || document.find(*part.value, "patternProperties") != nullptr ||
           find_property(document, *part.value, property) != nullptr;
  });
}

bool is_closed(Document& document, const Schema& schema) {
  return std::ranges::any_of(values_of(document, schema, "additionalProperties"), is_false);
}

Schema property_of(Document& document, const Schema& schema, std::string_view name) {
  std::vector<Part> places;
  for (const Part& part : schema.parts) {
    const Value* const others = document.find(*part.value, "additionalProperties");
    if (const Value* const own = find_property(document, *part.value, name); own != nullptr) {
      places.push_back({own, below(below(part.pointer, "properties"), name)});
    } else if (others != nullptr && others->is_object()) {
      places.push_back({others, below(part.pointer, "additionalProperties")});
    }
  }
  return schema_of_any(document, std::move(places), schema.place);
}

Schema others_of(Document& document, const Schema& schema) {
  return schema_below(document, schema, "additionalProperties");
}

Schema item_of(Document& document, const Schema& schema, std::size_t index) {
  std::vector<Part> places;
  for (const Part& part : schema.parts) {
    const Part prefix = document.member(part, "prefixItems");
    const Part items = document.member(part, "items");
    if (prefix.value->is_array() && index < prefix.value->size()) {
      places.push_back(document.element(prefix, index));
    } else if (items.value->is_object() || is_false(items.value)) {
      places.push_back(items);
    }
  }
  return schema_of_any(document, std::move(places), schema.place);
}

std::size_t prefix_size_of(Document& document, const Schema& schema) {
  std::size_t size = 0;
  for (const Value* const prefix : values_of(document, schema, "prefixItems")) {
    size = std::max(size, prefix->is_array() ? prefix->size() : 0);
  }
  return size;
}

}  // namespace eider::openapi
