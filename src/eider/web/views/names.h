// Resolves the names in a template: members of the page, and names of enclosing tags.
// Layering: must not insert nodes; assemble.h does.
#pragma once

#include <cstddef>
#include <string>

#include "eider/web/views/tree.h"

namespace eider::views {

/// What a name means, and what it means around that.
///
/// is_wall  a component begins: what is around it is not seen from within
struct Scope {
  const Scope* around = nullptr;
  std::string name = {};
  std::size_t variable = 0;
  bool is_loop = false;
  bool is_wall = false;
};

/// What is seen at one place.
///
/// variable_min  variables before it are not known here: a fragment is rendered alone
/// has_frame     `frame` is the frame of the page's layout
struct Seen {
  const Scope* scope = nullptr;
  std::size_t variable_min = 1;
  bool has_frame = false;
};

/// The expression with its names as variables, or as members of the page.
///
/// errors  throws Refused where a name is not seen, and for a filter that is written wrongly
[[nodiscard]] Expression resolve(Expression expression, const Seen& seen);

/// Whether it is the library's filter `tr`: it has no other arguments than two texts and arguments
/// with a name. An application may have a filter of this name, too, which takes others.
[[nodiscard]] bool is_translation(const Expression& filter);
/// As Expression::Kind::translation. Pre: is_translation.
///
/// errors  throws Refused if it is written wrongly
[[nodiscard]] Expression translation_of(Expression filter);

}  // namespace eider::views
