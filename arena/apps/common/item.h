// An item of HttpArena's profile json, for adapters whose peers read JSON into plain structs.
// Must not hold what is computed for an answer.
#pragma once

#include <string>
#include <vector>

namespace arena {

struct Rating {
  int score = 0;
  int count = 0;
};

struct Item {
  int id = 0;
  std::string name;
  std::string category;
  int price = 0;
  int quantity = 0;
  bool active = false;
  std::vector<std::string> tags;
  Rating rating;
};
using Dataset = std::vector<Item>;

}  // namespace arena
