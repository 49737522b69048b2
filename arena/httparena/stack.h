// The items and users of the profile production-stack: JSON that is cached in this process and in
// Redis, before PostgreSQL.
// Layering: must not authenticate: the edge does, and names the user.
#pragma once

#include <eider/cache.h>
#include <eider/database.h>
#include <eider/eider.h>
#include <eider/redis.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "dataset.h"

namespace httparena {

struct User {
  int id;
  std::string name;
  std::string email;
  std::string plan;
};

struct ItemUpdate {
  std::string name;
  int price;
  int quantity;
};

struct Caches {
  eider::Cache items;
  eider::Cache users;
};

/// Each event loop also keeps the values until Redis reports a change.
inline Caches caches_in(const std::string& redis_url) {
  const auto store = eider::redis_values(
      eider::Redis(redis_url), {.near_cache = eider::RedisCacheOptions{.keys_max = 20'000}});
  return {eider::Cache(store, {.ttl = std::chrono::seconds(1)}),
          eider::Cache(store, {.ttl = std::chrono::seconds(30)})};
}

inline std::string item_key(int id) {
  return "item:" + std::to_string(id);
}

inline eider::Task<std::string> load_item(eider::Database db, int id) {
  auto row = co_await db.one<ItemRow>(
      "select id, name, category, price, quantity, active, tags, rating_score, rating_count "
      "from items where id = $1",
      id);
  if (!row) {
    throw eider::Failure(eider::Error::not_found());
  }
  co_return eider::json::to_text(item_of(*std::move(row)));
}

inline eider::Task<std::string> load_user(eider::Database db, int id) {
  const auto user =
      co_await db.one<User>("select id, name, email, plan from users where id = $1", id);
  if (!user) {
    throw eider::Failure(eider::Error::not_found());
  }
  co_return eider::json::to_text(*user);
}

/// X-Cache shows whether this request has loaded the value.
inline eider::Task<eider::Response> cached(eider::Cache cache, std::string key,
                                           eider::Cache::Make load) {
  const auto is_loaded = std::make_shared<bool>(false);
  const eider::CachedBytes json =
      co_await cache.get_bytes(std::move(key), [load = std::move(load), is_loaded] {
        *is_loaded = true;
        return load();
      });
  co_return eider::Response()
      .set_static_type(eider::kApplicationJson)
      .set_shared_body(json)
      .add_header("X-Cache", *is_loaded ? "MISS" : "HIT");
}

inline eider::Task<eider::Response> show_item(int id, eider::State<Caches> caches,
                                              eider::State<eider::Database> db) {
  return cached(caches->items, item_key(id), [db = *db, id] { return load_item(db, id); });
}

inline eider::Task<> change_item(int id, eider::Json<ItemUpdate> update,
                                 eider::State<Caches> caches, eider::State<eider::Database> db) {
  const auto changed =
      co_await db->exec("update items set name = $1, price = $2, quantity = $3 where id = $4",
                        update->name, update->price, update->quantity, id);
  if (changed.rows == 0) {
    throw eider::Failure(eider::Error::not_found());
  }
  co_await caches->items.erase(item_key(id));
}

inline eider::Task<eider::Response> show_user(eider::Header<"x-user-id", int> id,
                                              eider::State<Caches> caches,
                                              eider::State<eider::Database> db) {
  return cached(caches->users, "user:" + std::to_string(*id),
                [db = *db, id = *id] { return load_user(db, id); });
}

}  // namespace httparena
