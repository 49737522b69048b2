#include "eider/core/json/merge_patch.h"

#include <map>
#include <string_view>
#include <utility>

namespace eider::json {

namespace {

using Changes = std::map<std::string_view, const Value*>;

/// Removes and returns the change for that member, or returns null.
const Value* take_change(Changes& changes, std::string_view name) {
  const auto found = changes.find(name);
  if (found == changes.end()) {
    return nullptr;
  }
  const Value* const change = found->second;
  changes.erase(found);
  return change;
}

/// Each member is looked up once among the changes. They are in a tree, because a client may send a
/// hundred thousand of them.
void merge_members(Value::Object& members, const Value::Object& patch) {
  Changes changes;
  for (const Field& change : patch) {
    changes.emplace(change.name, &change.value);
  }
  Value::Object merged;
  for (Field& member : members) {
    const Value* const change = take_change(changes, member.name);
    if (change != nullptr && change->is_null()) {
      continue;
    }
    if (change != nullptr) {
      merge_patch(member.value, *change);
    }
    merged.push_back(std::move(member));
  }
  for (const Field& change : patch) {
    if (changes.contains(change.name) && !change.value.is_null()) {
      merge_patch(merged.emplace_back(change.name, Value()).value, change.value);
    }
  }
  members = std::move(merged);
}

}  // namespace

void merge_patch(Value& target, const Value& patch) {
  if (!patch.is_object()) {
    target = patch;
    return;
  }
  if (!target.is_object()) {
    target = object({});
  }
  merge_members(target.members(), patch.members());
}

}  // namespace eider::json
