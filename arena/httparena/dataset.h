// The items of HttpArena's profiles, from the file of the data set or from PostgreSQL.
// Layering: must not know the routes.
#pragma once

#include <eider/database.h>
#include <eider/eider.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace httparena {

inline constexpr int kItemsMax = 50;

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

using Dataset = std::vector<Item>;

/// A view of an item of the data set, which outlives each response.
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

struct PricedItems {
  std::vector<PricedItem> items;
  std::size_t count;
};

/// A row of the table `items`.
struct ItemRow {
  int id;
  std::string name;
  std::string category;
  int price;
  int quantity;
  bool active;
  std::vector<std::string> tags;
  int rating_score;
  int rating_count;
};

struct Items {
  std::vector<Item> items;
  std::size_t count;
};

struct Prices {
  int min = 10;
  int max = 50;
  int limit = kItemsMax;
};

inline Dataset read_dataset(const std::string& path) {
  std::ifstream file(path);
  const std::string text(std::istreambuf_iterator<char>(file), {});
  auto items = eider::json::read<Dataset>(text);
  if (!items) {
    throw std::runtime_error(path + " is not a list of items");
  }
  return *std::move(items);
}

inline PricedItem priced(const Item& item, int multiplier) {
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

/// The first items of the data set, at most `count`.
inline PricedItems first_items(const Dataset& dataset, std::size_t count, int multiplier) {
  count = std::min(count, dataset.size());
  PricedItems found{{}, count};
  found.items.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    found.items.push_back(priced(dataset[i], multiplier));
  }
  return found;
}

inline Item item_of(ItemRow row) {
  return {row.id,
          std::move(row.name),
          std::move(row.category),
          row.price,
          row.quantity,
          row.active,
          std::move(row.tags),
          {row.rating_score, row.rating_count}};
}

inline std::vector<Item> items_of(std::vector<ItemRow> rows) {
  std::vector<Item> items;
  items.reserve(rows.size());
  for (ItemRow& row : rows) {
    items.push_back(item_of(std::move(row)));
  }
  return items;
}

inline eider::Task<Items> items_between(eider::Query<Prices> asked,
                                        eider::State<eider::Database> db) {
  const int limit = std::clamp(asked->limit, 1, kItemsMax);
  auto rows = co_await db->all<ItemRow>(
      "select id, name, category, price, quantity, active, tags, rating_score, rating_count "
      "from items where price between $1 and $2 limit $3",
      asked->min, asked->max, limit);
  Items found{items_of(std::move(rows)), 0};
  found.count = found.items.size();
  co_return found;
}

}  // namespace httparena
