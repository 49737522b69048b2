// Declarations that the snippets of this page use without declaring them.
// Cannot be compiled alone: see common.h.
#pragma once

#include "common.h"

namespace docs::databases_page {

struct Copy {
  std::string shelf;
};
struct User {
  std::int64_t id;
  std::string name;
};
struct Line {
  int number;
  std::string title;
};
extern const std::int64_t id, from, to, cents;
extern const std::vector<std::int64_t> ids;
extern const std::vector<Line> lines;
extern std::vector<int> refused;
extern Transaction& all;

template <class T>
Task<> index(T book);

}  // namespace docs::databases_page
