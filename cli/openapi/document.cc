#include "cli/openapi/document.h"

#include <algorithm>
#include <charconv>
#include <utility>

namespace eider::openapi {

namespace {

using json::Value;

constexpr int kReferencesMax = 32;         // references can be circular
constexpr std::size_t kUnindexedMax = 16;  // with fewer members, a linear search is as fast
const Value kNothing;

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

std::string unescaped(std::string_view segment) {
  std::string name;
  for (std::size_t i = 0; i < segment.size(); ++i) {
    const bool is_escape = segment[i] == '~' && i + 1 < segment.size();
    name += !is_escape ? segment[i] : segment[i + 1] == '1' ? '/' : '~';
    i += is_escape ? 1 : 0;
  }
  return name;
}

std::string text_at(const Value& value, std::string_view name) {
  const Value* const found = value.find(name);
  return found != nullptr && found->is_string() ? found->text() : std::string();
}

bool is_true(const Value& value, std::string_view name) {
  const Value* const found = value.find(name);
  return found != nullptr && found->is_bool() && found->boolean();
}

const std::vector<json::Field>& members_of(const Value& value) {
  static const std::vector<json::Field> kNone;
  return value.is_object() ? value.members() : kNone;
}

const std::vector<Value>& elements_of(const Value& value) {
  static const std::vector<Value> kNone;
  return value.is_array() ? value.elements() : kNone;
}

const Value* resolved(const Value& document, const Value& value) {
  const Value* at = &value;
  for (int left = kReferencesMax; at != nullptr && left != 0; --left) {
    const std::string to = text_at(*at, "$ref");
    if (to.empty()) {
      return at;
    }
    at = to.starts_with('#') ? document.find_at(to.substr(1)) : nullptr;
  }
  return nullptr;
}

const Value* Document::find(const Value& object, std::string_view name) {
  ++asked_;
  if (!object.is_object() || object.size() <= kUnindexedMax) {
    return object.find(name);
  }
  const auto [at, is_new] = indexes_.try_emplace(&object);
  Names& names = at->second;
  if (is_new) {
    for (const json::Field& field : object.members()) {
      names.emplace(field.name, &field.value);
    }
  }
  const auto found = names.find(name);
  return found == names.end() ? nullptr : found->second;
}

Part Document::member(const Part& part, std::string_view name) {
  const Value* const found = find(*part.value, name);
  return {found == nullptr ? &kNothing : found, below(part.pointer, name)};
}

Part Document::element(const Part& list, std::size_t index) const {
  return {&(*list.value)[index], below(list.pointer, std::to_string(index))};
}

Part Document::target(const Part& part) {
  const Value* const reference = find(*part.value, "$ref");
  if (reference == nullptr || !reference->is_string() || !reference->text().starts_with('#')) {
    return {&kNothing, {}};
  }
  const std::string_view pointer = std::string_view(reference->text()).substr(1);
  const auto [at, is_new] = targets_.try_emplace(pointer, &kNothing);
  if (is_new) {
    at->second = at_pointer(pointer);
  }
  return {at->second, std::string(pointer)};
}

const Value* Document::at_pointer(std::string_view pointer) {
  const Value* at = &root_;
  while (at != nullptr && !pointer.empty()) {
    if (pointer[0] != '/') {
      return &kNothing;
    }
    pointer.remove_prefix(1);
    const std::string_view segment = pointer.substr(0, pointer.find('/'));
    pointer.remove_prefix(segment.size());
    std::size_t index = 0;
    const auto end = std::from_chars(segment.data(), segment.data() + segment.size(), index);
    const bool is_index = at->is_array() && end.ec == std::errc() && index < at->size();
    at = is_index ? &(*at)[index] : find(*at, unescaped(segment));
  }
  return at == nullptr ? &kNothing : at;
}

Part Document::followed(Part part) {
  for (int left = kReferencesMax; left != 0; --left) {
    Part next = target(part);
    if (next.value->is_null()) {
      break;
    }
    part = std::move(next);
  }
  return part;
}

}  // namespace eider::openapi
