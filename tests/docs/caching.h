// Declarations that the snippets of this page use without declaring them.
// Cannot be compiled alone: see common.h.
#pragma once

#include "common.h"

namespace docs::caching_page {

struct Price {
  int cents;
};
struct Prices {
  std::vector<Price> all;
};
Task<Prices> prices_of(Database database);
Task<> store(Database database, int id, Price price);

}  // namespace docs::caching_page
