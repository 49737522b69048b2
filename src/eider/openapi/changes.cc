#include "eider/openapi/changes.h"

#include <algorithm>
#include <map>
#include <utility>

#include "eider/base/text.h"
#include "eider/json/write.h"
#include "eider/openapi/path_template.h"
#include "eider/openapi/schema_changes.h"

namespace eider::openapi {

namespace {

using detail::openapi::below;
using detail::openapi::names_in;
using detail::openapi::Part;
using detail::openapi::part_at;
using detail::openapi::SchemaChanges;
using detail::openapi::without_names;
using json::Field;
using json::Value;
using Way = SchemaChanges::Way;

constexpr std::string_view kMethods[] = {"get",   "head",   "post",    "put",
                                         "patch", "delete", "options", "trace"};

const std::vector<Field>& members_of(const Value& value) {
  static const std::vector<Field> kNone;
  return value.is_object() ? value.members() : kNone;
}

bool is_true(const Value& value, std::string_view name) {
  const Value* const found = value.find(name);
  return found != nullptr && found->is_bool() && found->boolean();
}

std::string text_at(const Value& value, std::string_view name) {
  const Value* const found = value.find(name);
  return found != nullptr && found->is_string() ? found->text() : std::string();
}

/// One side of an operation: the document, the path, and what stands there.
struct Side {
  const Value& document;
  std::string path;
  Part item;
  Part operation;

  [[nodiscard]] Part member(const Part& part, std::string_view name) const {
    const Value* const found = part.value.find(name);
    return part_at(document, found == nullptr ? Value() : *found, below(part.pointer, name));
  }
  [[nodiscard]] Part member(std::string_view name) const { return member(operation, name); }
};

using Parameters = std::map<std::string, Part>;

/// By where and how it is called; those of paths by their number.
Parameters parameters_of(const Side& side) {
  const std::vector<std::string> in_path = names_in(side.path);
  Parameters all;
  for (const Part* const holder : {&side.item, &side.operation}) {
    const Part list = side.member(*holder, "parameters");
    for (std::size_t i = 0; list.value.is_array() && i < list.value.size(); ++i) {
      Part one = part_at(side.document, list.value[i], below(list.pointer, std::to_string(i)));
      const std::string in = text_at(one.value, "in");
      std::string name = text_at(one.value, "name");
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

/// A way in: the schemes that have to be given together.
using Ways = std::vector<Value>;

Ways ways_of(const Side& side) {
  const Value* found = side.operation.value.find("security");
  found = found != nullptr ? found : side.document.find("security");
  return found != nullptr && found->is_array() ? found->elements() : Ways();
}

bool is_open(const Ways& ways) {
  return ways.empty() ||
         std::ranges::any_of(ways, [](const Value& way) { return way.size() == 0; });
}

/// Whether one with what the older way asks for has what the newer asks for.
bool is_enough(const Value& older, const Value& newer) {
  return std::ranges::all_of(members_of(newer), [&](const Field& scheme) {
    const Value* const given = older.find(scheme.name);
    return given != nullptr && scheme.value.is_array() && given->is_array() &&
           std::ranges::all_of(scheme.value.elements(), [&](const Value& scope) {
             return std::ranges::find(given->elements(), scope) != given->elements().end();
           });
  });
}

class DocumentChanges {
 public:
  DocumentChanges(const Value& older, const Value& newer)
      : older_(older), newer_(newer), changes_(older, newer) {}

  std::vector<Change> all() && {
    const Value& newer = newer_["paths"];
    std::map<std::string, std::string> paths;
    for (const Field& path : members_of(newer)) {
      paths.emplace(without_names(path.name), path.name);
    }
    for (const Field& path : members_of(older_["paths"])) {
      const auto found = paths.find(without_names(path.name));
      if (found == paths.end()) {
        changes_.add(below("/paths", path.name), "the path is gone");
      } else {
        compare_items(path, {found->second, newer[found->second]});
      }
    }
    return changes_.take();
  }

 private:
  void compare_items(const Field& older, const Field& newer) {
    const Part before = part_at(older_, older.value, below("/paths", older.name));
    const Part after = part_at(newer_, newer.value, below("/paths", newer.name));
    for (const std::string_view method : kMethods) {
      const Value* const was = before.value.find(method);
      const Value* const is = after.value.find(method);
      const std::string pointer = below(after.pointer, method);
      if (was != nullptr && is == nullptr) {
        changes_.add(pointer, "the method is gone");
      } else if (was != nullptr) {
        compare({older_, older.name, before, {*was, below(before.pointer, method)}},
                {newer_, newer.name, after, {*is, pointer}});
      }
    }
  }

  void compare(const Side& older, const Side& newer) {
    compare_parameters(older, newer);
    compare_requests(older.member("requestBody"), newer.member("requestBody"), older, newer);
    compare_answers(older, newer);
    compare_security(older, newer);
  }

  void compare_parameters(const Side& older, const Side& newer) {
    const Parameters before = parameters_of(older);
    const Parameters after = parameters_of(newer);
    for (const auto& [name, was] : before) {
      const auto is = after.find(name);
      if (is == after.end()) {
        changes_.add(below(newer.operation.pointer, "parameters"),
                     "the parameter " + name_of(was) + " is gone");
        continue;
      }
      if (is_true(is->second.value, "required") && !is_true(was.value, "required")) {
        changes_.add(is->second.pointer,
                     "the parameter " + name_of(is->second) + " is required now");
      }
      changes_.compare(older.member(was, "schema"), newer.member(is->second, "schema"), Way::taken);
    }
    for (const auto& [name, is] : after) {
      if (!before.contains(name) && is_true(is.value, "required")) {
        changes_.add(is.pointer, "the parameter " + name_of(is) + " is new, and required");
      }
    }
  }

  /// "query page"
  static std::string name_of(const Part& parameter) {
    return text_at(parameter.value, "in") + " " + json::to_text(parameter.value["name"]);
  }

  void compare_requests(const Part& was, const Part& is, const Side& older, const Side& newer) {
    if (is_true(is.value, "required") && !is_true(was.value, "required")) {
      changes_.add(is.pointer, "content is required now");
    }
    compare_contents(was, is, older, newer, Way::taken);
  }

  void compare_contents(const Part& was, const Part& is, const Side& older, const Side& newer,
                        Way way) {
    const Part before = older.member(was, "content");
    const Part after = newer.member(is, "content");
    for (const Field& type : members_of(before.value)) {
      const bool is_there = after.value.find(type.name) != nullptr;
      if (!is_there && after.value.find("*/*") == nullptr) {
        changes_.add(after.pointer, "the media type " + type.name + " is gone");
      } else if (is_there) {
        changes_.compare(older.member(older.member(before, type.name), "schema"),
                         newer.member(newer.member(after, type.name), "schema"), way);
      }
    }
  }

  /// An error more or less is none that breaks: clients know of errors that nobody told them.
  void compare_answers(const Side& older, const Side& newer) {
    const Part before = older.member("responses");
    const Part after = newer.member("responses");
    for (const Field& answer : members_of(before.value)) {
      const bool is_there = after.value.find(answer.name) != nullptr;
      const bool is_error = !answer.name.starts_with('2') && !answer.name.starts_with('3');
      if (is_there) {
        const Part was = older.member(before, answer.name);
        const Part is = newer.member(after, answer.name);
        compare_fields(was, is);
        compare_contents(was, is, older, newer, Way::given);
      } else if (!is_error) {
        changes_.add(after.pointer, "the answer " + answer.name + " is gone");
      }
    }
  }

  void compare_fields(const Part& was, const Part& is) {
    for (const Field& field : members_of(was.value["headers"])) {
      if (is.value["headers"].find(field.name) == nullptr) {
        changes_.add(is.pointer, "the answer's field " + field.name + " is gone");
      }
    }
  }

  void compare_security(const Side& older, const Side& newer) {
    const Ways before = ways_of(older);
    const Ways after = ways_of(newer);
    const auto is_let_in = [&](const Value& way) {
      return std::ranges::any_of(after, [&](const Value& now) { return is_enough(way, now); });
    };
    if (is_open(after)) {
      return;
    }
    if (is_open(before)) {
      changes_.add(below(newer.operation.pointer, "security"), "it asks who asks now");
    } else if (!std::ranges::all_of(before, is_let_in)) {
      changes_.add(below(newer.operation.pointer, "security"),
                   "a way to say who asks is no longer enough");
    }
  }

  const Value& older_;
  const Value& newer_;
  SchemaChanges changes_;
};

}  // namespace

std::vector<Change> breaking_changes(const Value& older, const Value& newer) {
  return DocumentChanges(older, newer).all();
}

}  // namespace eider::openapi
