#include "cli/openapi/changes.h"

#include <algorithm>
#include <map>
#include <unordered_set>
#include <utility>

#include "cli/openapi/document.h"
#include "cli/openapi/schema_changes.h"
#include "eider/core/base/text.h"
#include "eider/core/json/write.h"
#include "eider/web/openapi/path_template.h"

namespace eider::openapi {

namespace {

using detail::openapi::names_in;
using detail::openapi::without_names;
using json::Field;
using json::Value;
using Way = SchemaChanges::Way;

// Limits, because each alternative is compared with each.
constexpr std::size_t kWaysMax = 64;
constexpr std::size_t kSchemesMax = 16;

/// One side of an operation: the document, the path item and the operation.
struct Side {
  Document& document;
  std::string path;
  Part item;
  Part operation;

  /// Returns a member, after following references.
  [[nodiscard]] Part member(const Part& part, std::string_view name) const {
    return document.followed(document.member(part, name));
  }
  [[nodiscard]] Part member(std::string_view name) const { return member(operation, name); }
};

using Parameters = std::map<std::string, Part>;

/// Returns the parameters by location and name; path parameters by their position.
Parameters parameters_of(const Side& side) {
  const std::vector<std::string> in_path = names_in(side.path);
  Parameters all;
  for (const Part* const holder : {&side.item, &side.operation}) {
    const Part list = side.member(*holder, "parameters");
    for (std::size_t i = 0; list.value->is_array() && i < list.value->size(); ++i) {
      Part one = side.document.followed(side.document.element(list, i));
      const std::string in = text_at(*one.value, "in");
      std::string name = text_at(*one.value, "name");
      if (in == "path") {
        name = std::to_string(std::ranges::find(in_path, name) - in_path.begin());
      } else if (in == "header") {
        std::ranges::transform(name, name.begin(), [](char byte) { return to_lower(byte); });
      }
      all.insert_or_assign(in + " " + name, std::move(one));
    }
  }
  return all;
}

/// Alternatives of authentication: each one has the schemes that are required together, by name,
/// with their scopes.
using Ways = std::vector<Value>;

Ways ways_of(const Side& side) {
  const Value* found = side.operation.value->find("security");
  found = found != nullptr ? found : side.document.root().value->find("security");
  return found != nullptr && found->is_array() ? found->elements() : Ways();
}

bool is_open(const Ways& ways) {
  return ways.empty() ||
         std::ranges::any_of(ways, [](const Value& way) { return way.size() == 0; });
}

bool is_too_much(const Ways& ways) {
  return ways.size() > kWaysMax ||
         std::ranges::any_of(ways, [](const Value& way) { return way.size() > kSchemesMax; });
}

/// Returns whether the OAuth 2 flows of the older scheme still exist, with the same URLs.
bool has_flows_of(const Value& older, const Value& newer) {
  return std::ranges::all_of(members_of(older["flows"]), [&](const Field& flow) {
    const Value* const now = newer["flows"].find(flow.name);
    return now != nullptr &&
           text_at(*now, "authorizationUrl") == text_at(flow.value, "authorizationUrl") &&
           text_at(*now, "tokenUrl") == text_at(flow.value, "tokenUrl");
  });
}

/// Returns whether credentials for one scheme are valid for the other. Clients do not send its
/// name.
bool is_same_scheme(const Value& older, const Value& newer) {
  const std::string type = text_at(older, "type");
  if (type != text_at(newer, "type")) {
    return false;
  }
  if (type == "http") {
    return equals_ignoring_case(text_at(older, "scheme"), text_at(newer, "scheme"));
  }
  if (type == "apiKey") {
    const std::string in = text_at(older, "in");
    const std::string name = text_at(older, "name");
    const std::string now = text_at(newer, "name");
    return in == text_at(newer, "in") &&
           (in == "header" ? equals_ignoring_case(name, now) : name == now);
  }
  return type == "oauth2"
             ? has_flows_of(older, newer)
             : text_at(older, "openIdConnectUrl") == text_at(newer, "openIdConnectUrl");
}

/// Returns the scopes as text, so that an invalid value without a change is still equal.
std::unordered_set<std::string> scopes_of(const Value& value) {
  if (!value.is_array()) {
    return {json::to_text(value)};
  }
  std::unordered_set<std::string> scopes;
  for (const Value& scope : value.elements()) {
    scopes.insert(json::to_text(scope));
  }
  return scopes;
}

/// Returns whether `older` has all scopes of `newer`.
bool has_scopes_of(const Value& newer, const Value& older) {
  const auto given = scopes_of(older);
  return std::ranges::all_of(scopes_of(newer),
                             [&](const std::string& scope) { return given.contains(scope); });
}

class DocumentChanges {
 public:
  DocumentChanges(const Value& older, const Value& newer)
      : older_(older), newer_(newer), changes_(older_, newer_) {}

  std::vector<Change> all() && {
    const Part newer = newer_.member(newer_.root(), "paths");
    std::map<std::string, std::string> paths;
    for (const Field& path : members_of(*newer.value)) {
      paths.emplace(without_names(path.name), path.name);
    }
    const Part older = older_.member(older_.root(), "paths");
    for (const Field& path : members_of(*older.value)) {
      const auto found = paths.find(without_names(path.name));
      if (found == paths.end()) {
        changes_.add(below("/paths", path.name), "the path was removed");
      } else {
        compare_items(path.name, found->second);
      }
    }
    return changes_.take();
  }

 private:
  static Part item_of(Document& document, std::string_view path) {
    return document.followed(document.member(document.member(document.root(), "paths"), path));
  }

  void compare_items(const std::string& older, const std::string& newer) {
    const Part before = item_of(older_, older);
    const Part after = item_of(newer_, newer);
    for (const std::string_view method : kMethods) {
      Part was = older_.member(before, method);
      Part is = newer_.member(after, method);
      if (was.value->is_null()) {
        continue;
      }
      if (is.value->is_null()) {
        changes_.add(is.pointer, "the method was removed");
      } else {
        compare({older_, older, before, std::move(was)}, {newer_, newer, after, std::move(is)});
      }
    }
  }

  void compare(const Side& older, const Side& newer) {
    compare_parameters(older, newer);
    compare_requests(older.member("requestBody"), newer.member("requestBody"), older, newer);
    compare_responses(older, newer);
    compare_security(older, newer);
  }

  void compare_parameters(const Side& older, const Side& newer) {
    const Parameters before = parameters_of(older);
    const Parameters after = parameters_of(newer);
    for (const auto& [name, was] : before) {
      const auto is = after.find(name);
      if (is == after.end()) {
        changes_.add(below(newer.operation.pointer, "parameters"),
                     "the parameter " + name_of(was) + " was removed");
        continue;
      }
      if (is_true(*is->second.value, "required") && !is_true(*was.value, "required")) {
        changes_.add(is->second.pointer,
                     "the parameter " + name_of(is->second) + " is now required");
      }
      changes_.compare(older_.member(was, "schema"), newer_.member(is->second, "schema"),
                       Way::taken);
    }
    for (const auto& [name, is] : after) {
      if (!before.contains(name) && is_true(*is.value, "required")) {
        changes_.add(is.pointer, "the parameter " + name_of(is) + " is new and required");
      }
    }
  }

  /// Returns a name such as "query page".
  static std::string name_of(const Part& parameter) {
    return text_at(*parameter.value, "in") + " " + json::to_text((*parameter.value)["name"]);
  }

  void compare_requests(const Part& was, const Part& is, const Side& older, const Side& newer) {
    if (is_true(*is.value, "required") && !is_true(*was.value, "required")) {
      changes_.add(is.pointer, "a request body is now required");
    }
    compare_contents(was, is, older, newer, Way::taken);
  }

  void compare_contents(const Part& was, const Part& is, const Side& older, const Side& newer,
                        Way way) {
    const Part before = older.member(was, "content");
    const Part after = newer.member(is, "content");
    for (const Field& type : members_of(*before.value)) {
      const Part is_now = newer.member(after, type.name);
      if (!is_now.value->is_null()) {
        const Part was_then = older.member(before, type.name);
        changes_.compare(older_.member(was_then, "schema"), newer_.member(is_now, "schema"), way);
        const Part was_items = items_of(older_, was_then);
        const Part is_items = items_of(newer_, is_now);
        changes_.compare(was_items, is_items, way);
        changes_.compare(data_of(older_, was_items), data_of(newer_, is_items), way);
      } else if (after.value->find("*/*") == nullptr) {
        changes_.add(after.pointer, "the media type " + type.name + " was removed");
      }
    }
  }

  /// Returns the schema of the items of a stream, with the keyword of OpenAPI 3.2 or the extension
  /// for 3.1.
  static Part items_of(Document& document, const Part& media) {
    Part items = document.member(media, "itemSchema");
    return items.value->is_null() ? document.member(media, "x-itemSchema") : items;
  }

  /// Returns the schema of an event's data, as JSON.
  static Part data_of(Document& document, const Part& items) {
    return document.member(document.member(document.member(items, "properties"), "data"),
                           "contentSchema");
  }

  /// Added and removed error responses do not break clients, which must expect undocumented errors.
  void compare_responses(const Side& older, const Side& newer) {
    const Part before = older.member("responses");
    const Part after = newer.member("responses");
    for (const Field& response : members_of(*before.value)) {
      const bool is_error = !response.name.starts_with('2') && !response.name.starts_with('3');
      const Part is = newer.member(after, response.name);
      if (!is.value->is_null()) {
        const Part was = older.member(before, response.name);
        compare_fields(was, is);
        compare_contents(was, is, older, newer, Way::given);
      } else if (!is_error) {
        changes_.add(after.pointer, "the response " + response.name + " was removed");
      }
    }
  }

  void compare_fields(const Part& was, const Part& is) {
    const Part before = older_.member(was, "headers");
    const Part after = newer_.member(is, "headers");
    for (const Field& field : members_of(*before.value)) {
      if (newer_.find(*after.value, field.name) == nullptr) {
        changes_.add(is.pointer, "the response header " + field.name + " was removed");
      }
    }
  }

  void compare_security(const Side& older, const Side& newer) {
    const Ways before = ways_of(older);
    const Ways after = ways_of(newer);
    const std::string pointer = below(newer.operation.pointer, "security");
    if (is_open(after) || newer_.is_worn_out()) {
      return;
    }
    if (is_too_much(before) || is_too_much(after)) {
      changes_.add(pointer,
                   "there are too many security requirements to compare; they were skipped");
    } else if (is_open(before)) {
      changes_.add(pointer, "the operation now requires authentication");
    } else if (!std::ranges::all_of(before, [&](const Value& way) {
                 return std::ranges::any_of(after,
                                            [&](const Value& now) { return is_enough(way, now); });
               })) {
      changes_.add(pointer, "an authentication method is no longer sufficient");
    }
  }

  /// Returns whether credentials for the older alternative are sufficient for the newer one.
  bool is_enough(const Value& older, const Value& newer) {
    return std::ranges::all_of(members_of(newer), [&](const Field& needed) {
      return std::ranges::any_of(members_of(older), [&](const Field& given) {
        return is_same(given.name, needed.name) && has_scopes_of(needed.value, given.value);
      });
    });
  }

  /// Schemes without a description can only be compared by name.
  bool is_same(std::string_view older, std::string_view newer) {
    const Part was = scheme_of(older_, older);
    const Part is = scheme_of(newer_, newer);
    return was.value->is_null() || is.value->is_null() ? older == newer
                                                       : is_same_scheme(*was.value, *is.value);
  }

  static Part scheme_of(Document& document, std::string_view name) {
    const Part components = document.member(document.root(), "components");
    return document.followed(document.member(document.member(components, "securitySchemes"), name));
  }

  Document older_;
  Document newer_;
  SchemaChanges changes_;
};

}  // namespace

std::vector<Change> breaking_changes(const Value& older, const Value& newer) {
  return DocumentChanges(older, newer).all();
}

}  // namespace eider::openapi
