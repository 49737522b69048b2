#include "eider/web/views/names.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "eider/web/views/filter_names.h"

namespace eider::views {

namespace {

constexpr std::array<std::string_view, 5> kLoopNames = {"index", "index0", "first", "last",
                                                        "length"};

constexpr std::string_view kTrUsage =
    "usage of tr: {{ \"Hello, {name}!\" | tr(name: user.name) }}, {{ count | tr(\"{count} note\", "
    "\"{count} notes\") }} or {{ \"Open\" | tr(context: \"menu\") }}";

void expect_filter(const Expression& filter) {
  if (filter.text == "raw" || filter.text == "trusted") {
    refuse(filter.place, filter.text + " must be the last filter of an expression: {{ text | " +
                             filter.text + " }}");
  }
  if (!filter.names.empty()) {
    refuse(filter.place,
           filter.text == "tr" ? std::string(kTrUsage) : "only tr accepts named arguments");
  }
  const FilterName* const known = find_filter(filter.text);
  const std::size_t given = filter.parts.size() - 1;
  if (known != nullptr && (given < known->arguments_min || given > known->arguments_max)) {
    refuse(filter.place, "wrong arguments; usage: " + std::string(known->usage));
  }
}

[[noreturn]] void refuse_unseen(const Expression& path, const Seen& seen) {
  std::vector<std::string> names;
  for (const Scope* scope = seen.scope; !scope->is_wall; scope = scope->around) {
    if (!scope->name.empty()) {
      names.push_back(scope->name);
    }
  }
  refuse(path.place, "unknown name " + path.names.front() +
                         ": a component sees only its parameters" +
                         suggestion(path.names.front(), names));
}

void refer(Expression& path, const Scope& scope, const Seen& seen) {
  if (scope.variable < seen.variable_min) {
    refuse(path.place, path.names.front() +
                           " is defined outside the fragment; fragments are rendered separately");
  }
  path.variable = scope.variable;
  path.names.erase(path.names.begin());
  if (!scope.is_loop) {
    return;
  }
  const std::string asked = path.names.size() == 1 ? path.names.front() : "";
  if (std::ranges::find(kLoopNames, asked) == kLoopNames.end()) {
    refuse(path.place,
           "unknown member of loop: use loop.index, loop.index0, loop.first, loop.last or "
           "loop.length");
  }
  path.kind = Expression::Kind::loop;
  path.text = asked;
}

void resolve_path(Expression& path, const Seen& seen) {
  const std::string& first = path.names.front();
  for (const Scope* scope = seen.scope; scope != nullptr; scope = scope->around) {
    if (scope->is_wall) {
      refuse_unseen(path, seen);
    }
    if (!scope->name.empty() && scope->name == first) {
      return refer(path, *scope, seen);
    }
  }
  if (first == "loop" && path.names.size() > 1) {
    refuse(path.place, "loop is only available inside a for loop");
  }
  if (seen.has_frame && first == "frame") {
    path.variable = kFrame;
    path.names.erase(path.names.begin());
    return;
  }
  path.variable = kPage;
}

}  // namespace

bool is_translation(const Expression& filter) {
  if (filter.kind != Expression::Kind::filter || filter.text != "tr") {
    return false;
  }
  std::size_t unnamed = 0;
  for (std::size_t i = 1; i < filter.parts.size(); ++i) {
    if (filter.names.empty() || filter.names[i - 1].empty()) {
      ++unnamed;
      if (filter.parts[i].kind != Expression::Kind::text) {
        return false;
      }
    }
  }
  return unnamed == 0 || unnamed == 2;
}

Expression translation_of(Expression filter) {
  Expression made{Expression::Kind::translation, filter.place};
  filter.names.resize(filter.parts.size() - 1);
  made.parts.push_back(std::move(filter.parts.front()));
  for (std::size_t i = 1; i < filter.parts.size(); ++i) {
    Expression& part = filter.parts[i];
    std::string& name = filter.names[i - 1];
    if (name == "context") {
      if (part.kind != Expression::Kind::text) {
        refuse(part.place, "the context must be a text in quotes");
      }
      made.text = std::move(part.text);
    } else if (!name.empty()) {
      made.names.push_back(std::move(name));
      made.parts.push_back(std::move(part));
    } else if (made.names.empty()) {
      made.parts.push_back(std::move(part));
    } else {
      refuse(part.place, std::string(kTrUsage));
    }
  }
  return made;
}

Expression resolve(Expression expression, const Seen& seen) {
  if (is_translation(expression)) {
    expression = translation_of(std::move(expression));
  } else if (expression.kind == Expression::Kind::filter) {
    expect_filter(expression);
  }
  for (Expression& part : expression.parts) {
    part = resolve(std::move(part), seen);
  }
  if (expression.kind == Expression::Kind::path) {
    resolve_path(expression, seen);
  }
  return expression;
}

}  // namespace eider::views
