#include "database.h"

#include <eider/mariadb.h>
#include <eider/postgres.h>
#include <eider/sqlite.h>
#include <eider/views.h>

#include <algorithm>
#include <memory>
#include <random>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "counted.h"
#include "fortunes.html.h"

namespace arena {

using namespace eider;

namespace {

constexpr int kWorlds = 10'000;
constexpr int kCountMax = 500;
constexpr std::string_view kSqlite = "sqlite:";

struct World {
  int id;
  int randomNumber;  // NOLINT(readability-identifier-naming): as the answer has it
};

struct Counted {
  std::string count = "1";
};

/// What is no number counts as one, and what is beyond the bounds as the nearest.
int count_of(const Counted& asked) {
  return std::clamp(number_or_one(asked.count), 1, kCountMax);
}

int random_number() {
  thread_local std::minstd_rand generator(std::random_device{}());
  return std::uniform_int_distribution<int>(1, kWorlds)(generator);
}

/// No two alike, in their order: two updates that lock the same rows do so in the same order.
std::vector<int> different_ids(int count) {
  std::unordered_set<int> found;
  while (std::cmp_less(found.size(), count)) {
    found.insert(random_number());
  }
  std::vector<int> ids(found.begin(), found.end());
  std::ranges::sort(ids);
  return ids;
}

std::vector<int> random_ids(int count) {
  std::vector<int> ids(static_cast<std::size_t>(count));
  std::ranges::generate(ids, &random_number);
  return ids;
}

Task<Result<World>> one_world(State<Database> db) {
  const auto world = co_await db->one<World>(
      R"(select id, randomnumber as "randomNumber" from world where id = $1)", random_number());
  if (!world) {
    co_return fail(Error::not_found());
  }
  co_return *world;
}

/// A statement for each, and a Sync behind each, as TechEmpower's rules ask for.
Task<std::vector<World>> read_worlds(const Database& db, std::vector<int> ids) {
  std::vector<db::RowStatement<World>> asked;
  asked.reserve(ids.size());
  for (const int id : ids) {
    asked.push_back(db::row<World>(
        R"(select id, randomnumber as "randomNumber" from world where id = $1)", id));
  }
  auto all = db.all(std::move(asked));
  std::vector<World> worlds;
  worlds.reserve(ids.size());
  for (auto& answer : co_await all) {
    if (!answer) {
      throw answer.error();
    }
    worlds.push_back(answer.value().value());
  }
  co_return worlds;
}

Task<std::vector<World>> some_worlds(Query<Counted> asked, State<Database> db) {
  co_return co_await read_worlds(*db, random_ids(count_of(*asked)));
}

/// All of them by one statement.
Task<> store(const Database& db, const std::vector<World>& worlds) {
  if (db.dialect() == db::Dialect::sqlite) {
    co_await db.exec(
        "update world set randomnumber = value ->> 'randomNumber' from json_each($1) "
        "where world.id = value ->> 'id'",
        worlds);
    co_return;
  }
  if (db.dialect() == db::Dialect::mariadb) {
    co_await db.exec(
        "update world join json_table($1, '$[*]' columns(id int path '$.id', "
        "number int path '$.randomNumber')) as new on world.id = new.id "
        "set world.randomnumber = new.number",
        worlds);
    co_return;
  }
  std::vector<int> ids;
  std::vector<int> numbers;
  for (const World& world : worlds) {
    ids.push_back(world.id);
    numbers.push_back(world.randomNumber);
  }
  co_await db.exec(
      "update world set randomnumber = new.number "
      "from unnest($1::int[], $2::int[]) as new(id, number) where world.id = new.id",
      ids, numbers);
}

Task<std::vector<World>> update_worlds(Query<Counted> asked, State<Database> db) {
  std::vector<World> worlds = co_await read_worlds(*db, different_ids(count_of(*asked)));
  for (World& world : worlds) {
    world.randomNumber = random_number();
  }
  co_await store(*db, worlds);
  co_return worlds;
}

Task<Html> fortunes(State<Database> db) {
  FortunesPage page{co_await db->all<Fortune>("select id, message from fortune")};
  page.fortunes.push_back({0, "Additional fortune added at request time."});
  std::ranges::sort(page.fortunes, {}, &Fortune::message);
  co_return Html(render_view(page));
}

/// What was read once and is asked for by its key, on all threads.
class CachedWorlds {
 public:
  void fill(const std::vector<World>& worlds) {
    for (const World& world : worlds) {
      by_id_.insert_or_assign(world.id, world);
    }
  }
  [[nodiscard]] const World& find(int id) const { return by_id_.at(id); }

 private:
  std::unordered_map<int, World> by_id_;
};

void add_cached_worlds(App& app) {
  const auto cached = std::make_shared<CachedWorlds>();
  app.on_start("cached worlds", [cached](State<Database> db) -> Task<> {
    cached->fill(
        co_await db->all<World>(R"(select id, randomnumber as "randomNumber" from world)"));
  });
  app.get("/cached-queries", [cached](Query<Counted> asked) {
    std::vector<World> worlds;
    for (const int id : random_ids(count_of(*asked))) {
      worlds.push_back(cached->find(id));
    }
    return worlds;
  });
}

Database open(const DatabaseOptions& options) {
  if (options.where.starts_with(kSqlite)) {
    return open_sqlite(options.where.substr(kSqlite.size()));
  }
  const auto connections = static_cast<std::size_t>(options.connections);
  if (options.where.starts_with("mysql://") || options.where.starts_with("mariadb://")) {
    return open_mariadb(options.where, {.connections_max = connections});
  }
  // The rules of TechEmpower want a Sync behind each statement.
  return open_postgres(options.where, {.connections_max = connections, .batch_reads = false});
}

}  // namespace

void add_database(App& app, const DatabaseOptions& options) {
  app.state(open(options));
  app.get("/db", one_world);
  app.get("/queries", some_worlds);
  app.get("/updates", update_worlds);
  app.get("/fortunes", fortunes);
  add_cached_worlds(app);
}

}  // namespace arena
