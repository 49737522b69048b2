// HttpArena's profile json with the JSON that aeronet supports, which is glaze.
#include <aeronet/aeronet-server.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "../common/dataset.h"
#include "../common/item.h"
#include "parts.h"

// glaze reflects only types that other translation units can name.
namespace arena {

/// An item of the dataset with its total; it refers to the dataset's texts.
struct Priced {
  int id;
  std::string_view name;
  std::string_view category;
  int price;
  int quantity;
  bool active;
  std::span<const std::string> tags;
  Rating rating;
  std::int64_t total;
};

struct PricedItems {
  std::vector<Priced> items;
  std::size_t count;
};

}  // namespace arena

namespace {

using namespace aeronet;

arena::Dataset read_dataset(const std::string& directory) {
  arena::Dataset all;
  std::string text;
  if (glz::read_file_json(all, directory + arena::kDatasetName, text)) {
    throw std::runtime_error("cannot read the dataset in " + directory);
  }
  return all;
}

arena::PricedItems priced(const arena::Dataset& all, std::size_t count, int multiplier) {
  arena::PricedItems result{{}, count};
  result.items.reserve(count);
  for (const arena::Item& item : std::span(all).first(count)) {
    result.items.push_back({item.id, item.name, item.category, item.price, item.quantity,
                            item.active, item.tags, item.rating,
                            arena::total_of(item.price, item.quantity, multiplier)});
  }
  return result;
}

}  // namespace

void arena::add_items(Router& router, const std::string& directory) {
  const auto all = std::make_shared<const Dataset>(read_dataset(directory));
  router.setPath(http::Method::GET, "/json/{count}", [all](const HttpRequestView& request) {
    const auto count = items_asked(request.pathParamValueOrEmpty("count"), all->size());
    if (!count) {
      return request.makeResponse(http::StatusCodeNotFound);
    }
    return request.makeResponse().bodyJson(
        priced(*all, *count, request.queryParamInt("m").value_or(1)));
  });
}
