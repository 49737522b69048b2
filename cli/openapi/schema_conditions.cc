// Conditional keywords: not, if with then and else, dependentRequired.
#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "cli/openapi/schema_changes.h"
#include "eider/core/json/write.h"

namespace eider::openapi {

namespace {

using json::Value;
using Way = SchemaChanges::Way;

Way other_way(Way way) noexcept {
  return way == Way::taken ? Way::given : Way::taken;
}

/// Returns the values of a keyword that contains a schema, one for each part that has it.
std::vector<Part> places_of(Document& document, const Schema& schema, std::string_view keyword) {
  std::vector<Part> places;
  for (const Part& part : schema.parts) {
    if (document.find(*part.value, keyword) != nullptr) {
      places.push_back(document.member(part, keyword));
    }
  }
  return places;
}

bool are_disjoint(const std::set<std::string>& one, const std::set<std::string>& other) {
  return std::ranges::none_of(one, [&other](const std::string& type) {
    return other.contains(type) || (type == "integer" && other.contains("number")) ||
           (type == "number" && other.contains("integer"));
  });
}

std::set<std::string> names_of_dependents(Document& document, const Schema& schema) {
  std::set<std::string> names;
  for (const Value* const by_name : values_of(document, schema, "dependentRequired")) {
    for (std::size_t i = 0; by_name->is_object() && i < by_name->size(); ++i) {
      names.insert(by_name->members()[i].name);
    }
  }
  return names;
}

/// Returns the names that are required with `name`.
std::set<std::string> dependents_in(Document& document, const Schema& schema,
                                    std::string_view name) {
  std::set<std::string> all;
  for (const Value* const by_name : values_of(document, schema, "dependentRequired")) {
    const Value* const names = document.find(*by_name, name);
    for (std::size_t i = 0; names != nullptr && names->is_array() && i < names->size(); ++i) {
      if ((*names)[i].is_string()) {
        all.insert((*names)[i].text());
      }
    }
  }
  return all;
}

}  // namespace

/// Adds a pair without schemas: it holds if all pairs that it needs hold.
SchemaChanges::Id SchemaChanges::id_of_all(Id user) {
  findings_.emplace_back().used_by.push_back(user);
  return findings_.size() - 1;
}

/// The narrow schema must reject all values that the wide one rejects, so the direction is
/// reversed.
void SchemaChanges::look_at_not(Id id, const Pair& pair) {
  Document& of_narrow = narrow_document(pair.way);
  Document& of_wide = wide_document(pair.way);
  const auto types = types_of(of_narrow, pair.narrow);
  const std::vector<Part> known = places_of(of_narrow, pair.narrow, "not");
  for (const Part& refused : places_of(of_wide, pair.wide, "not")) {
    const Schema never = schema_of(of_wide, {refused});
    const auto refused_types = types_of(of_wide, never);
    if (never.is_never || (types && refused_types && are_disjoint(*types, *refused_types))) {
      continue;
    }
    Choice choice;
    for (const Part& one : known) {
      choice.options.push_back(
          id_of(id, {never, schema_of(of_narrow, {one}), other_way(pair.way)}));
    }
    choice.otherwise =
        change_of(pair, (pair.way == Way::taken ? "now rejects values that match "
                                                : "no longer rejects values that match ") +
                            shown(*refused.value));
    findings_[id].choices.push_back(std::move(choice));
  }
}

/// The schemas of `if`, `then` and `else` of one part.
struct SchemaChanges::Branches {
  Schema condition;
  Schema met;
  Schema unmet;
};

std::vector<SchemaChanges::Branches> SchemaChanges::branches_of(Document& document,
                                                                const Schema& schema) {
  std::vector<Branches> all;
  for (const Part& part : schema.parts) {
    if (document.find(*part.value, "if") == nullptr) {
      continue;
    }
    const auto branch = [&](std::string_view keyword) {
      return document.find(*part.value, keyword) == nullptr
                 ? Schema{.place = part}
                 : schema_of(document, {document.member(part, keyword)});
    };
    Branches branches{branch("if"), branch("then"), branch("else")};
    if (!branches.met.says_nothing() || !branches.unmet.says_nothing()) {
      all.push_back(std::move(branches));
    }
  }
  return all;
}

/// Each condition of the wide schema needs an equal one in the narrow schema whose branches are
/// narrower; or the narrow schema must match both branches.
void SchemaChanges::look_at_conditions(Id id, const Pair& pair) {
  const std::vector<Branches> known = branches_of(narrow_document(pair.way), pair.narrow);
  for (const Branches& wide : branches_of(wide_document(pair.way), pair.wide)) {
    Choice choice;
    for (const Branches& narrow : known) {
      if (is_full()) {
        is_cut_short_ = true;
        return;
      }
      const Id like = id_of_all(id);
      need(like, {narrow.condition, wide.condition, pair.way});
      findings_[like].needed.push_back(
          id_of(like, {wide.condition, narrow.condition, other_way(pair.way)}));
      need(like, {narrow.met, wide.met, pair.way});
      need(like, {narrow.unmet, wide.unmet, pair.way});
      choice.options.push_back(like);
    }
    const Id always = id_of_all(id);
    need(always, {pair.narrow, wide.met, pair.way});
    need(always, {pair.narrow, wide.unmet, pair.way});
    choice.options.push_back(always);
    choice.otherwise = change_of(pair, "the conditions of if, then and else have changed");
    findings_[id].choices.push_back(std::move(choice));
  }
}

/// Each member that the wide schema requires with another one must also be required by the narrow
/// schema, with it or always; or the narrow schema does not allow the other one.
void SchemaChanges::look_at_dependents(Id id, const Pair& pair) {
  Document& of_narrow = narrow_document(pair.way);
  Document& of_wide = wide_document(pair.way);
  const std::string_view what =
      pair.way == Way::taken ? " is now required with " : " is no longer always present with ";
  const std::vector<std::string> required = required_of(of_narrow, pair.narrow);
  const std::set<std::string> always(required.begin(), required.end());
  for (const std::string& name : names_of_dependents(of_wide, pair.wide)) {
    if (!allows(of_narrow, pair.narrow, name)) {
      continue;
    }
    const std::set<std::string> known = dependents_in(of_narrow, pair.narrow, name);
    for (const std::string& other : dependents_in(of_wide, pair.wide, name)) {
      if (!always.contains(other) && !known.contains(other)) {
        fault(id, pair, json::to_text(other).append(what).append(json::to_text(name)));
      }
    }
  }
}

}  // namespace eider::openapi
