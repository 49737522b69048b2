#include "profiles.h"

#include <eider/compress.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <ranges>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "counted.h"
#include "item.h"

namespace arena {

using namespace eider;

namespace {

using Dataset = std::vector<Item>;

/// An item that views those of the dataset, which outlive every answer.
struct PricedItem {
  int id;
  std::string_view name;
  std::string_view category;
  int price;
  int quantity;
  bool active;
  std::vector<std::string_view> tags;
  Rating rating;
  std::int64_t total;
};

struct Priced {
  std::vector<PricedItem> items;
  std::size_t count;
};

struct Multiplied {
  std::string m = "1";
};

PricedItem priced(const Item& item, int multiplier) {
  return {.id = item.id,
          .name = item.name,
          .category = item.category,
          .price = item.price,
          .quantity = item.quantity,
          .active = item.active,
          .tags = {item.tags.begin(), item.tags.end()},
          .rating = item.rating,
          .total = std::int64_t{item.price} * item.quantity * multiplier};
}

Priced first_items(std::size_t count, Query<Multiplied> asked, State<Dataset> dataset) {
  const int multiplier = number_or_one(asked->m);
  Priced found;
  found.items.reserve(std::min(count, dataset->size()));
  for (const Item& item : *dataset | std::views::take(count)) {
    found.items.push_back(priced(item, multiplier));
  }
  found.count = found.items.size();
  return found;
}

Dataset read_dataset(const std::string& path) {
  std::ifstream file(path);
  const std::string text(std::istreambuf_iterator<char>(file), {});
  auto items = json::read<Dataset>(text);
  if (!items) {
    throw std::runtime_error(path + " holds no items");
  }
  return *std::move(items);
}

}  // namespace

void add_profiles(App& app, const std::string& folder) {
  app.state(read_dataset(folder + "/dataset.json"));
  app.get("/json/{count}", first_items).use(compression());
  // HttpArena wants each answer read from the disk: nothing is kept in memory.
  serve_files(app, "/static", folder + "/static", {.small_file_bytes_max = 0});
}

}  // namespace arena
