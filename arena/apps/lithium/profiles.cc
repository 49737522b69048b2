#include "profiles.h"

#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../common/dataset.h"
#include "../common/rows.h"
#include "item.h"

namespace arena {

namespace {

using Dataset = std::vector<Item>;
using PricedItem = decltype(li::cat(Item(), li::mmm(s::total = std::int64_t())));

/// Its decoder knows no bool, and this is done once.
Dataset read_dataset(const std::string& folder) {
  std::ifstream file(folder + kDatasetName);
  Dataset all;
  for (const nlohmann::json& json : nlohmann::json::parse(file)) {
    Item item;
    item.id = json["id"];
    item.name = json["name"];
    item.category = json["category"];
    item.price = json["price"];
    item.quantity = json["quantity"];
    item.active.is_set = json["active"];
    item.tags = json["tags"].get<std::vector<std::string>>();
    item.rating.score = json["rating"]["score"];
    item.rating.count = json["rating"]["count"];
    all.push_back(std::move(item));
  }
  return all;
}

}  // namespace

void add_profiles(li::http_api& api) {
  const char* folder = std::getenv("PROFILES_DIR");
  if (folder == nullptr) {
    return;
  }
  std::string_view path = "/json/{{count}}";
  api.get(path) = [all = read_dataset(folder)](li::http_request& request,
                                               li::http_response& response) {
    const auto asked = request.url_parameters(s::count = std::string());
    const auto count = items_asked(asked.count, all.size());
    if (!count) {
      throw li::http_error::not_found("no number of items");
    }
    const auto query = request.get_parameters(s::m = std::optional<std::string>());
    const int multiplier = whole(query.m.value_or("")).value_or(1);
    std::vector<PricedItem> items;
    for (std::size_t i = 0; i < *count; ++i) {
      items.push_back(
          li::cat(all[i], li::mmm(s::total = total_of(all[i].price, all[i].quantity, multiplier))));
    }
    response.write_json(s::items = std::move(items), s::count = static_cast<int>(*count));
  };
}

}  // namespace arena
