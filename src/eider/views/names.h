// What names in a template refer to: the page's members, or what a tag around them names.
// Must not put nodes in place: assemble.h does.
#pragma once

#include <cstddef>
#include <string>

#include "eider/views/tree.h"

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
struct Seen {
  const Scope* scope = nullptr;
  std::size_t variable_min = 1;
};

/// The expression with its names as variables, or as members of the page.
///
/// errors  throws Refused where a name is not seen, and for a filter that is written wrongly
[[nodiscard]] Expression resolve(Expression expression, const Seen& seen);

}  // namespace eider::views
