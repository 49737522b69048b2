// The table of items: HttpArena's async-db and crud. Single items are kept for 200 ms.
#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "answers.h"
#include "database.h"
#include "item.h"

namespace arena {

namespace {

using li::http_api;
using li::http_request;
using li::http_response;
using Query = std::optional<std::string>;

constexpr int kPageMax = 1'000'000;
// The client knows text and whole numbers of four bytes: all others are cast.
const std::string kColumns =
    "select id, name, category, price, quantity, active::int, tags::text, rating_score, "
    "rating_count from items ";
const std::string kBetween = kColumns + "where price between $1 and $2 limit $3::int";
const std::string kList = kColumns + "where category = $1 order by id limit $2::int offset $3::int";
const std::string kOne = kColumns + "where id = $1";

using Items = std::vector<Item>;
using NewItem =
    decltype(li::mmm(s::id = int(), s::name = std::string(), s::category = std::string(),
                     s::price = int(), s::quantity = int()));
using Change = decltype(li::mmm(s::name = std::string(), s::price = int(), s::quantity = int()));

KeptItems& kept() {
  static KeptItems all;
  return all;
}

/// All rows of an answer.
template <typename Rows>
Items items_of(Rows rows) {
  Items items;
  rows.map([&items](int id, std::string name, std::string category, int price, int quantity,
                    int active, std::string tags, int score, int count) {
    Item item;
    item.id = id;
    item.name = std::move(name);
    item.category = std::move(category);
    item.price = price;
    item.quantity = quantity;
    item.active.is_set = active != 0;
    li::json_decode(tags, item.tags);
    item.rating.score = score;
    item.rating.count = count;
    items.push_back(std::move(item));
  });
  return items;
}

/// The object in the body; ends the handler with 400 where it is none.
template <typename Object>
Object body_of(http_request& request) {
  // A copy with a NUL behind it: lithium's decoder would go on into what the buffer held before.
  const std::string body(request.http_ctx.read_whole_body());
  Object object;
  if (li::json_decode(body, object)) {
    throw li::http_error::bad_request("the body is not as it has to be");
  }
  return object;
}

void between(http_request& request, http_response& response) {
  const auto asked = request.get_parameters(s::min = Query(), s::max = Query(), s::limit = Query());
  const int limit = std::clamp(whole(asked.limit.value_or("")).value_or(kLimitMax), 1, kLimitMax);
  const int least = whole(asked.min.value_or("")).value_or(10);
  const int most = whole(asked.max.value_or("")).value_or(50);
  Items items = items_of(database().connect(request.fiber).prepare(kBetween)(least, most, limit));
  const int count = static_cast<int>(items.size());
  response.write_json(s::items = std::move(items), s::count = count);
}

void list(http_request& request, http_response& response) {
  const auto asked =
      request.get_parameters(s::category = Query(), s::page = Query(), s::limit = Query());
  const int limit = std::clamp(whole(asked.limit.value_or("")).value_or(10), 1, kLimitMax);
  const int page = std::clamp(whole(asked.page.value_or("")).value_or(1), 1, kPageMax);
  const std::string category = asked.category.value_or("electronics");
  Items items = items_of(
      database().connect(request.fiber).prepare(kList)(category, limit, (page - 1) * limit));
  const int total = static_cast<int>(items.size());
  response.write_json(s::items = std::move(items), s::total = total, s::page = page,
                      s::limit = limit);
}

void answer_item(http_response& response, const std::string& text, const char* how) {
  response.set_header("X-Cache", how);
  answer(response, "application/json", text);
}

void read_item(http_request& request, http_response& response, int id) {
  if (const auto text = kept().find(id)) {
    answer_item(response, *text, "HIT");
    return;
  }
  const Items found = items_of(database().connect(request.fiber).prepare(kOne)(id));
  if (found.empty()) {
    throw li::http_error::not_found("there is no such item");
  }
  const auto text = std::make_shared<const std::string>(li::json_encode(found.front()));
  kept().keep(id, text);
  answer_item(response, *text, "MISS");
}

void change_item(http_request& request, http_response& response, int id) {
  const auto change = body_of<Change>(request);
  const auto changed = database()
                           .connect(request.fiber)
                           .prepare(kChangeItem)(id, change.name, change.price, change.quantity)
                           .template read_optional<int>();
  kept().forget(id);
  if (!changed) {
    throw li::http_error::not_found("there is no such item");
  }
  response.write_json(s::id = id, s::name = change.name, s::price = change.price,
                      s::quantity = change.quantity);
}

void add_item(http_request& request, http_response& response) {
  const auto item = body_of<NewItem>(request);
  database()
      .connect(request.fiber)
      .prepare(kAddItem)(item.id, item.name, item.category, item.price, item.quantity)
      .flush_results();
  kept().forget(item.id);
  response.set_status(201);
  response.write_json(item);
}

/// A path has one handler, so that it looks at the method itself.
void list_or_add(http_request& request, http_response& response) {
  if (request.http_ctx.method() == "POST") {
    add_item(request, response);
  } else {
    list(request, response);
  }
}

void read_or_change(http_request& request, http_response& response) {
  const int id = request.url_parameters(s::id = int()).id;
  if (request.http_ctx.method() == "PUT") {
    change_item(request, response, id);
  } else {
    read_item(request, response, id);
  }
}

}  // namespace

void add_items(http_api& api) {
  api.get("/async-db") = &between;
  std::string_view all = "/crud/items";
  api(all) = &list_or_add;
  std::string_view one = "/crud/items/{{id}}";
  api(one) = &read_or_change;
}

}  // namespace arena
