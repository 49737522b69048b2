#include "eider/web/openapi/schema.h"

#include <cstdint>
#include <limits>
#include <set>
#include <utility>

#include "eider/core/json/read.h"
#include "eider/core/reflect/constraints.h"

namespace eider::detail::openapi {

namespace {

using json::Value;
using reflect::Kind;
using reflect::Type;

/// Returns "Page_Note" for "Page<Note>": a valid name of a component.
std::string component_name(std::string_view type_name) {
  std::string name;
  for (const char byte : type_name) {
    const bool is_kept = (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
                         (byte >= '0' && byte <= '9') || byte == '.' || byte == '-';
    if (is_kept) {
      name += byte;
    } else if (!name.empty() && name.back() != '_') {
      name += '_';
    }
  }
  while (name.ends_with('_')) {
    name.pop_back();
  }
  return name.empty() ? "Type" : name;
}

Value integer(const Type& type) {
  const std::uint64_t all = std::numeric_limits<std::uint64_t>::max() >> (64 - 8 * type.bytes);
  Value schema = json::object({{"type", "integer"}});
  if (type.bytes >= 4 && type.kind == Kind::kSigned) {
    schema["format"] = type.bytes == 4 ? "int32" : "int64";
  }
  if (type.kind == Kind::kUnsigned) {
    schema["minimum"] = 0;
    schema["maximum"] = all;
  } else {
    schema["minimum"] = -static_cast<std::int64_t>(all / 2) - 1;
    schema["maximum"] = static_cast<std::int64_t>(all / 2);
  }
  return schema;
}

Value text(const reflect::TextSchema& said) {
  Value schema = json::object({{"type", "string"}});
  const auto add = [&schema](std::string_view name, std::string_view value) {
    if (!value.empty()) {
      schema[name] = value;
    }
  };
  add(said.format == "base64" ? "contentEncoding" : "format", said.format);
  add("pattern", said.pattern);
  add("description", said.requirement);
  if (!said.example.empty()) {
    schema["examples"] = json::array({said.example});
  }
  return schema;
}

Value enumeration(const reflect::Enumeration& type) {
  Value schema = json::object({{"type", "string"}, {"enum", json::array({})}});
  for (const reflect::Enumerator& enumerator : type) {
    schema["enum"].push_back(enumerator.name);
  }
  return schema;
}

/// The keywords that were already added by rules.
using Words = std::set<std::string_view>;

/// If two rules have the same keyword, both apply.
void add_word(Value& schema, Words& said, const Requirement::Keyword& keyword) {
  Value value = json::read<Value>(keyword.json).value_or(Value(keyword.json));
  if (said.insert(keyword.name).second) {
    schema[keyword.name] = std::move(value);
  } else if (schema[keyword.name] != value) {
    schema["allOf"].push_back(json::object({{std::string(keyword.name), std::move(value)}}));
  }
}

/// Adds a rule without a keyword as a sentence.
void add_sentence(Value& schema, std::string_view sentence) {
  std::string all;
  if (const Value* const said = schema.find("description"); said != nullptr) {
    all = said->text() + ", ";
  }
  schema["description"] = all.append(sentence);
}

/// Rules of inner types come first, because they are checked first.
void add_rules(Value& schema, Words& said, const Type& type) {
  if (type.kind != Kind::kConstrained) {
    return;
  }
  add_rules(schema, said, *type.constraint().value);
  for (const reflect::Rule& rule : type.constraint()) {
    const Requirement requirement = reflect::requirement(type.constraint(), rule);
    for (const Requirement::Keyword& keyword : requirement.keywords) {
      add_word(schema, said, keyword);
    }
    if (requirement.keywords.empty()) {
      add_sentence(schema, to_text(requirement));
    }
  }
}

}  // namespace

Value Schemas::of(const Type& type) {
  switch (type.kind) {
    case Kind::kBool:
      return json::object({{"type", "boolean"}});
    case Kind::kSigned:
    case Kind::kUnsigned:
      return integer(type);
    case Kind::kReal:
      return json::object({{"type", "number"}, {"format", type.bytes == 4 ? "float" : "double"}});
    case Kind::kString:
    case Kind::kView:
    case Kind::kChars:
      return json::object({{"type", "string"}});
    case Kind::kStruct:
    case Kind::kEnum:
      return reference(type);
    case Kind::kSequence:
      return list(*type.sequence().element);
    case Kind::kSet: {
      Value schema = list(*type.set().element);
      schema["uniqueItems"] = true;
      return schema;
    }
    case Kind::kArray: {
      Value schema = list(*type.array().element);
      schema["minItems"] = type.array().count;
      schema["maxItems"] = type.array().count;
      return schema;
    }
    case Kind::kOptional:
      return json::object(
          {{"anyOf", json::array({of(*type.optional().value), json::object({{"type", "null"}})})}});
    case Kind::kMap:
      return json::object({{"type", "object"}, {"additionalProperties", of(*type.map().value)}});
    case Kind::kVariant:
      return variant(type.variant());
    case Kind::kConstrained:
      return constrained(type);
    case Kind::kText:
      return text(*type.text().schema);
    case Kind::kDynamic:
      return json::object({});
  }
  std::unreachable();
}

Value Schemas::list(const Type& element) {
  return json::object({{"type", "array"}, {"items", of(element)}});
}

/// The name is registered before the members are described, because one of them may have this type.
Value Schemas::reference(const Type& type) {
  const auto known = names_.find(&type);
  const std::string name = known != names_.end() ? known->second : name_of(type);
  if (known == names_.end()) {
    names_.emplace(&type, name);
    components_[name] = Value();
    components_[name] = type.kind == Kind::kEnum ? enumeration(type.enumeration())
                                                 : structure(type.structure(), {});
  }
  return json::object({{"$ref", "#/components/schemas/" + name}});
}

/// Types with the same name from different namespaces are numbered: "Note", "Note2".
std::string Schemas::name_of(const Type& type) {
  const std::string base = component_name(type.name);
  std::string name = base;
  for (int number = 2; components_.contains(name); ++number) {
    name = base + std::to_string(number);
  }
  return name;
}

/// tag  the name of the struct in a variant; empty outside of one
Value Schemas::structure(const reflect::Structure& type, std::string_view tag) {
  Value properties = json::object({});
  Value required = json::array({});
  if (!tag.empty()) {
    properties[reflect::Variant::kTagName] = json::object({{"const", tag}});
    required.push_back(reflect::Variant::kTagName);
  }
  for (std::size_t i = 0; i < type.count; ++i) {
    properties[type.first[i].name] = member(type, type.first[i]);
    if (type.is_required(i)) {
      required.push_back(type.first[i].name);
    }
  }
  Value schema = json::object({{"type", "object"}, {"properties", std::move(properties)}});
  if (required.size() != 0) {
    schema["required"] = std::move(required);
  }
  schema["additionalProperties"] = false;
  return schema;
}

Value Schemas::member(const reflect::Structure& of_struct, const reflect::Member& member) {
  Value schema = of(*member.type);
  const MemberText about = of_struct.text_about(member.name);
  if (!about.description.empty()) {
    schema["description"] = about.description;
  }
  if (!about.example.empty()) {
    schema["examples"] = json::array({example(*member.type, about.example)});
  }
  return schema;
}

Value Schemas::example(const Type& type, std::string_view text) {
  switch (type.kind) {
    case Kind::kString:
    case Kind::kView:
    case Kind::kChars:
    case Kind::kEnum:
    case Kind::kText:
      return text;
    case Kind::kOptional:
      return example(*type.optional().value, text);
    case Kind::kConstrained:
      return example(reflect::without_rules(type), text);
    default:
      return json::read<Value>(text).value_or(Value(text));
  }
}

/// Describes each alternative with its tag, because the struct itself has no such member.
Value Schemas::variant(const reflect::Variant& type) {
  Value options = json::array({});
  for (const reflect::Alternative& option : type) {
    options.push_back(structure(option.type->structure(), option.type->name));
  }
  return json::object({{"oneOf", std::move(options)}});
}

/// Adds the keywords of rules to those of the value; a "minimum" of a range replaces that of its
/// type. If the value is a reference, 2020-12 allows keywords next to it.
Value Schemas::constrained(const Type& type) {
  Value schema = of(reflect::without_rules(type));
  Words said;
  add_rules(schema, said, type);
  return schema;
}

Value Schemas::components() const {
  Value all = json::object({});
  for (const auto& [name, schema] : components_) {
    all[name] = schema;
  }
  return all;
}

}  // namespace eider::detail::openapi
