// The page /fortunes of the HttpArena entry.
// Layering: must not know the database.
#pragma once

#include <string>
#include <vector>

namespace httparena {

struct Fortune {
  int id = 0;
  std::string message;
};

struct FortunesPage {
  std::vector<Fortune> fortunes;
};

}  // namespace httparena
