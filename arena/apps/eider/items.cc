#include "items.h"

#include <eider/database.h>
#include <eider/redis.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "httparena/dataset.h"

namespace arena {

using namespace eider;

namespace {

using httparena::Item;
using httparena::ItemRow;
using httparena::items_between;
using std::chrono::steady_clock;

constexpr std::chrono::milliseconds kKept{200};

struct Listed {
  std::vector<Item> items;
  std::size_t total;
  int page;
  int limit;
};

struct Listing {
  std::string category = "electronics";
  Bounded<int, 1, 1'000'000> page = 1;
  int limit = 10;
};

struct NewItem {
  int id;
  std::string name;
  std::string category;
  int price;
  int quantity;
};

struct ItemChange {
  std::string name;
  int price;
  int quantity;
};

struct ChangedItem {
  int id;
  std::string name;
  int price;
  int quantity;
};

int limited(int limit) {
  return std::clamp(limit, 1, httparena::kItemsMax);
}

/// The JSON of single items, for as long as the profile says.
class Kept {
 public:
  using Text = std::shared_ptr<const std::string>;

  Kept() = default;
  Kept(const Kept&) = delete;
  Kept& operator=(const Kept&) = delete;
  virtual ~Kept() = default;

  /// Null where there is none.
  virtual Task<Text> find(int id) = 0;
  virtual Task<> keep(int id, Text text) = 0;
  virtual Task<> forget(int id) = 0;
};

class KeptHere final : public Kept {
 public:
  Task<Text> find(int id) override {
    const std::scoped_lock lock(mutex_);
    const auto found = kept_.find(id);
    if (found == kept_.end()) {
      co_return nullptr;
    }
    if (found->second.until <= steady_clock::now()) {
      kept_.erase(found);
      co_return nullptr;
    }
    co_return found->second.text;
  }
  Task<> keep(int id, Text text) override {
    const std::scoped_lock lock(mutex_);
    kept_.insert_or_assign(id, One{std::move(text), steady_clock::now() + kKept});
    co_return;
  }
  Task<> forget(int id) override {
    const std::scoped_lock lock(mutex_);
    kept_.erase(id);
    co_return;
  }

 private:
  struct One {
    Text text;
    steady_clock::time_point until;
  };

  std::mutex mutex_;
  std::unordered_map<int, One> kept_;
};

class KeptInRedis final : public Kept {
 public:
  explicit KeptInRedis(const std::string& url) : redis_(url) {}

  Task<Text> find(int id) override {
    auto found = co_await redis_.command<std::optional<std::string>>("GET", key_of(id));
    co_return found ? std::make_shared<const std::string>(std::move(*found)) : nullptr;
  }
  Task<> keep(int id, Text text) override {
    co_await redis_.command("SET", key_of(id), *text, "PX", kKept.count());
  }
  Task<> forget(int id) override { co_await redis_.command("DEL", key_of(id)); }

 private:
  static std::string key_of(int id) { return "item:" + std::to_string(id); }

  Redis redis_;
};

using KeptItems = std::shared_ptr<Kept>;

Response answer_with(Kept::Text text, std::string_view how) {
  return Response()
      .set_static_type("application/json")
      .set_shared_body(std::move(text))
      .add_header("X-Cache", how);
}

Task<Listed> list_items(Query<Listing> asked, State<Database> db) {
  const int limit = limited(asked->limit);
  const std::int64_t before = std::int64_t{*asked->page - 1} * limit;
  std::vector<Item> items = items_of(co_await db->all<ItemRow>(
      "select id, name, category, price, quantity, active, tags, rating_score, rating_count "
      "from items where category = $1 order by id limit $2 offset $3",
      asked->category, limit, before));
  const std::size_t total = items.size();
  co_return Listed{std::move(items), total, *asked->page, limit};
}

Task<Result<Response>> read_item(int id, State<KeptItems> kept, State<Database> db) {
  if (Kept::Text text = co_await (*kept)->find(id)) {
    co_return answer_with(std::move(text), "HIT");
  }
  auto row = co_await db->one<ItemRow>(
      "select id, name, category, price, quantity, active, tags, rating_score, rating_count "
      "from items where id = $1",
      id);
  if (!row) {
    co_return fail(Error::not_found());
  }
  auto text = std::make_shared<const std::string>(json::to_text(item_of(std::move(*row))));
  co_await (*kept)->keep(id, text);
  co_return answer_with(std::move(text), "MISS");
}

Task<Created<NewItem>> add_item(Json<NewItem> item, State<KeptItems> kept, State<Database> db) {
  co_await db->exec(
      "insert into items values($1, $2, $3, $4, $5, true, '[]', 0, 0) on conflict (id) do update "
      "set name = excluded.name, category = excluded.category, price = excluded.price, "
      "quantity = excluded.quantity",
      item->id, item->name, item->category, item->price, item->quantity);
  co_await (*kept)->forget(item->id);
  co_return Created(*item);
}

Task<std::optional<ChangedItem>> change_item(int id, Json<ItemChange> change, State<KeptItems> kept,
                                             State<Database> db) {
  auto changed = co_await db->one<ChangedItem>(
      "update items set name = $2, price = $3, quantity = $4 "
      "where id = $1 returning id, name, price, quantity",
      id, change->name, change->price, change->quantity);
  co_await (*kept)->forget(id);
  co_return changed;
}

}  // namespace

void add_items(App& app, const std::string& redis) {
  app.state(redis.empty() ? KeptItems(std::make_shared<KeptHere>())
                          : KeptItems(std::make_shared<KeptInRedis>(redis)));
  app.get("/async-db", items_between);
  app.get("/crud/items", list_items);
  app.post("/crud/items", add_item);
  app.get("/crud/items/{id}", read_item);
  app.put("/crud/items/{id}", change_item);
}

}  // namespace arena
