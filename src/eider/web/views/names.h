// Resolves the names in a template: members of the page, and names of enclosing tags.
// Layering: must not insert nodes; assemble.h does.
#pragma once

#include <cstddef>
#include <string>

#include "eider/web/views/tree.h"

namespace eider::views {

/// The meaning of a name, in a chain of enclosing scopes.
///
/// is_wall  a component begins: names of outer scopes are not visible
struct Scope {
  const Scope* around = nullptr;
  std::string name = {};
  std::size_t variable = 0;
  bool is_loop = false;
  bool is_wall = false;
};

/// The names that are visible at one place.
///
/// variable_min  variables with smaller numbers are not visible: a fragment is rendered alone
/// has_frame     `frame` is the frame of the page's layout
struct Seen {
  const Scope* scope = nullptr;
  std::size_t variable_min = 1;
  bool has_frame = false;
};

/// Returns the expression with its names resolved to variables or members of the page.
///
/// errors  throws Refused for an unknown name, and for invalid arguments of a filter
[[nodiscard]] Expression resolve(Expression expression, const Seen& seen);

/// Returns whether a filter is the built-in `tr`: its arguments are at most two texts, and named
/// arguments. An application may have its own filter with this name and other arguments.
[[nodiscard]] bool is_translation(const Expression& filter);
/// Returns the filter as Expression::Kind::translation. Pre: is_translation.
///
/// errors  throws Refused if its arguments are invalid
[[nodiscard]] Expression translation_of(Expression filter);

}  // namespace eider::views
