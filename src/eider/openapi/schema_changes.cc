#include "eider/openapi/schema_changes.h"

#include <algorithm>
#include <array>
#include <utility>

#include "eider/json/write.h"

namespace eider::detail::openapi {

namespace {

using json::Value;

constexpr int kReferencesMax = 32;  // one that leads back to itself has no end

/// A bound: true where a value within `narrow` is within `wide`.
struct Bound {
  std::string_view keyword;
  bool (*holds)(const Value& narrow, const Value& wide);
};

bool is_at_least(const Value& narrow, const Value& wide) {
  return narrow.number() >= wide.number();
}
bool is_at_most(const Value& narrow, const Value& wide) {
  return narrow.number() <= wide.number();
}
bool is_equal(const Value& narrow, const Value& wide) {
  return narrow == wide;
}

constexpr std::array kBounds = {
    Bound{"minimum", is_at_least},       Bound{"exclusiveMinimum", is_at_least},
    Bound{"maximum", is_at_most},        Bound{"exclusiveMaximum", is_at_most},
    Bound{"minLength", is_at_least},     Bound{"maxLength", is_at_most},
    Bound{"minItems", is_at_least},      Bound{"maxItems", is_at_most},
    Bound{"minProperties", is_at_least}, Bound{"maxProperties", is_at_most},
    Bound{"multipleOf", is_equal},       Bound{"pattern", is_equal},
    Bound{"format", is_equal},           Bound{"uniqueItems", is_equal}};

/// "type": "string", ["string", "null"], or nothing: then it is any.
std::vector<std::string> types_of(const Value& schema) {
  const Value* const type = schema.find("type");
  std::vector<std::string> all;
  if (type != nullptr && type->is_string()) {
    all.push_back(type->text());
  } else if (type != nullptr && type->is_array()) {
    for (const Value& one : type->elements()) {
      all.push_back(one.is_string() ? one.text() : std::string());
    }
  }
  return all;
}

bool has_type(const std::vector<std::string>& types, const std::string& wanted) {
  return std::ranges::find(types, wanted) != types.end() ||
         (wanted == "integer" && std::ranges::find(types, "number") != types.end());
}

/// What the value has to be one of; null: any.
Value enumeration_of(const Value& schema) {
  if (const Value* const only = schema.find("const"); only != nullptr) {
    return json::array({*only});
  }
  const Value* const all = schema.find("enum");
  return all != nullptr && all->is_array() ? *all : Value();
}

bool contains(const Value& list, const Value& wanted) {
  return list.is_array() && std::ranges::find(list.elements(), wanted) != list.elements().end();
}

std::string text_of(const Value* value) {
  return value == nullptr ? "nothing" : json::to_text(*value);
}

bool allows_others(const Value& schema) {
  const Value* const others = schema.find("additionalProperties");
  return others == nullptr || !others->is_bool() || others->boolean();
}

/// The keywords that stand beside a reference hold with those of what it leads to.
Value merged(Value target, const Value& beside) {
  for (const json::Field& field : beside.members()) {
    if (field.name != "$ref") {
      target[field.name] = field.value;
    }
  }
  return target;
}

}  // namespace

std::string below(std::string_view pointer, std::string_view name) {
  std::string made(pointer);
  made += '/';
  for (const char byte : name) {
    if (byte == '~' || byte == '/') {
      made += byte == '~' ? "~0" : "~1";
    } else {
      made += byte;
    }
  }
  return made;
}

Part part_at(const Value& document, const Value& value, std::string pointer) {
  Part part{value, std::move(pointer)};
  for (int left = kReferencesMax; left != 0 && part.value.is_object(); --left) {
    const Value* const reference = part.value.find("$ref");
    if (reference == nullptr || !reference->is_string() || !reference->text().starts_with('#')) {
      break;
    }
    std::string target = reference->text().substr(1);
    const Value* const found = document.find_at(target);
    if (found == nullptr || !found->is_object()) {
      break;
    }
    part = {merged(*found, part.value), std::move(target)};
  }
  return part;
}

void SchemaChanges::add(std::string pointer, std::string what) {
  Change change{std::move(pointer), std::move(what)};
  if (std::ranges::find(found_, change) == found_.end()) {
    found_.push_back(std::move(change));
  }
}

void SchemaChanges::compare(const Part& older, const Part& newer, Way way) {
  if (way == Way::taken) {
    compare_narrow({older, newer, way});
  } else {
    compare_narrow({newer, older, way});
  }
}

/// A request's narrow one is the older, an answer's the newer.
void SchemaChanges::tell(const Pair& pair, std::string_view what) {
  const bool is_taken = pair.way == Way::taken;
  add((is_taken ? pair.wide : pair.narrow).pointer,
      std::string(is_taken ? "in requests: " : "in answers: ").append(what));
}

void SchemaChanges::tell_change(const Pair& pair, std::string_view keyword) {
  const bool is_taken = pair.way == Way::taken;
  const Value& older = (is_taken ? pair.narrow : pair.wide).value;
  const Value& newer = (is_taken ? pair.wide : pair.narrow).value;
  tell(pair, std::string(keyword) + " was " + text_of(older.find(keyword)) + ", is " +
                 text_of(newer.find(keyword)));
}

Part SchemaChanges::member(const Part& part, std::string_view name, bool is_older) const {
  const Value* const found = part.value.find(name);
  return part_at(is_older ? older_ : newer_, found == nullptr ? Value() : *found,
                 below(part.pointer, name));
}

/// The schemas that a value has to fit one of.
std::vector<Part> SchemaChanges::options(const Part& part, bool is_older) const {
  for (const std::string_view keyword : {"anyOf", "oneOf"}) {
    const Part all = member(part, keyword, is_older);
    if (all.value.is_array() && all.value.size() != 0) {
      std::vector<Part> made;
      for (std::size_t i = 0; i < all.value.size(); ++i) {
        made.push_back(part_at(is_older ? older_ : newer_, all.value[i],
                               below(all.pointer, std::to_string(i))));
      }
      return made;
    }
  }
  return {part};
}

/// Each pair is looked at once: a schema may refer to itself.
void SchemaChanges::compare_narrow(const Pair& pair) {
  const std::string key = pair.narrow.pointer + " " + pair.wide.pointer +
                          (pair.way == Way::taken ? " taken" : " given");
  if (!seen_.insert(key).second || pair.wide.value == Value(true)) {
    return;
  }
  const bool has_options = [&] {
    for (const Value* const schema : {&pair.narrow.value, &pair.wide.value}) {
      if (schema->find("anyOf") != nullptr || schema->find("oneOf") != nullptr) {
        return true;
      }
    }
    return false;
  }();
  if (has_options) {
    compare_options(pair);
    return;
  }
  compare_types(pair);
  compare_enums(pair);
  compare_words(pair);
  compare_properties(pair);
  compare_below(pair, "additionalProperties");
  compare_below(pair, "items");
}

void SchemaChanges::compare_options(const Pair& pair) {
  const bool is_taken = pair.way == Way::taken;
  const std::vector<Part> narrow = options(pair.narrow, is_taken);
  const std::vector<Part> wide = options(pair.wide, !is_taken);
  for (std::size_t i = 0; i < narrow.size(); ++i) {
    const bool has_place = std::ranges::any_of(
        wide, [&](const Part& option) { return fits({narrow[i], option, pair.way}); });
    if (!has_place && narrow.size() == wide.size()) {
      compare_narrow({narrow[i], wide[i], pair.way});
    } else if (!has_place) {
      tell(pair, std::string(is_taken ? "an alternative is gone: " : "an alternative is new: ") +
                     json::to_text(narrow[i].value));
    }
  }
}

bool SchemaChanges::fits(const Pair& pair) {
  SchemaChanges apart(older_, newer_);
  apart.seen_ = seen_;
  apart.compare_narrow(pair);
  return apart.found_.empty();
}

void SchemaChanges::compare_types(const Pair& pair) {
  const auto wide = types_of(pair.wide.value);
  const auto narrow = types_of(pair.narrow.value);
  const bool is_within =
      wide.empty() || (!narrow.empty() && std::ranges::all_of(narrow, [&](const std::string& type) {
        return has_type(wide, type);
      }));
  if (!is_within) {
    tell_change(pair, "type");
  }
}

void SchemaChanges::compare_enums(const Pair& pair) {
  const Value wide = enumeration_of(pair.wide.value);
  const Value narrow = enumeration_of(pair.narrow.value);
  if (wide.is_null()) {
    return;
  }
  if (narrow.is_null()) {
    tell_change(pair, pair.wide.value.find("const") != nullptr ? "const" : "enum");
    return;
  }
  for (const Value& value : narrow.elements()) {
    if (!contains(wide, value)) {
      tell(pair, json::to_text(value) + (pair.way == Way::taken ? " is gone" : " is new"));
    }
  }
}

void SchemaChanges::compare_words(const Pair& pair) {
  for (const Bound& bound : kBounds) {
    const Value* const wide = pair.wide.value.find(bound.keyword);
    const Value* const narrow = pair.narrow.value.find(bound.keyword);
    if (wide == nullptr || (narrow != nullptr && *narrow == *wide)) {
      continue;
    }
    const bool are_numbers = narrow != nullptr && narrow->is_number() && wide->is_number();
    if (!are_numbers || !bound.holds(*narrow, *wide)) {
      tell_change(pair, bound.keyword);
    }
  }
}

void SchemaChanges::compare_properties(const Pair& pair) {
  const bool is_taken = pair.way == Way::taken;
  const Part narrow = member(pair.narrow, "properties", is_taken);
  const Part wide = member(pair.wide, "properties", !is_taken);
  const Value* const required = pair.wide.value.find("required");
  const Value always = pair.narrow.value["required"];
  if (required != nullptr && required->is_array()) {
    for (const Value& name : required->elements()) {
      if (!contains(always, name)) {
        tell(pair,
             json::to_text(name) + (is_taken ? " is required now" : " is no longer always there"));
      }
    }
  }
  if (!narrow.value.is_object()) {
    return;
  }
  for (const json::Field& property : narrow.value.members()) {
    if (wide.value.find(property.name) != nullptr) {
      compare_narrow({member(narrow, property.name, is_taken),
                      member(wide, property.name, !is_taken), pair.way});
    } else if (is_taken && !allows_others(pair.wide.value)) {
      tell(pair, json::to_text(Value(property.name)) + " is gone");
    }
  }
}

/// What holds for all elements, or for all members of a map.
void SchemaChanges::compare_below(const Pair& pair, std::string_view name) {
  const Value* const wide = pair.wide.value.find(name);
  if (wide == nullptr || !wide->is_object()) {
    return;
  }
  const bool is_taken = pair.way == Way::taken;
  const Part narrow = member(pair.narrow, name, is_taken);
  if (!narrow.value.is_bool() || narrow.value.boolean()) {
    compare_narrow({narrow, member(pair.wide, name, !is_taken), pair.way});
  }
}

}  // namespace eider::detail::openapi
