// An item as HttpArena's profiles have it, out of a file or a database.
// Must not hold what is computed for an answer.
#pragma once

#include <string>
#include <vector>

namespace arena {

struct Rating {
  int score;
  int count;
};

struct Item {
  int id;
  std::string name;
  std::string category;
  int price;
  int quantity;
  bool active;
  std::vector<std::string> tags;
  Rating rating;
};

}  // namespace arena
