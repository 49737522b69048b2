// Declarations that the snippets of this page use without declaring them.
// Cannot be compiled alone: see common.h.
#pragma once

#include "common.h"

namespace docs::postgresql_page {

App make_app(Database database);
std::vector<Migration> shop_migrations();

struct Book {
  std::int64_t id;
  std::string title;
  std::optional<int> year;
};
struct NewBook {
  std::string title;
};
extern const std::vector<NewBook> list;
extern const std::vector<std::int64_t> ids;
extern const std::vector<int> counts;

}  // namespace docs::postgresql_page
