// HttpArena's profile json for uWebSockets, which brings no JSON: by nlohmann.
// Must not keep what was answered.
#pragma once

#include <cstddef>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "../common/dataset.h"
#include "../common/item.h"

namespace arena {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Rating, score, count)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Item, id, name, category, price, quantity, active, tags, rating)

inline Dataset read_dataset(const std::string& folder) {
  std::ifstream file(folder + kDatasetName);
  return nlohmann::json::parse(file).get<Dataset>();
}

/// The first `count` items as JSON, each with its total.
inline std::string items_json(const Dataset& all, std::size_t count, int multiplier) {
  nlohmann::json items = nlohmann::json::array();
  for (std::size_t i = 0; i < count; ++i) {
    nlohmann::json& item = items.emplace_back(all[i]);
    item["total"] = total_of(all[i].price, all[i].quantity, multiplier);
  }
  return nlohmann::json{{"items", std::move(items)}, {"count", count}}.dump();
}

}  // namespace arena
