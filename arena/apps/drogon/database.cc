#include "database.h"

#include <drogon/orm/DbClient.h>

#include <algorithm>
#include <coroutine>
#include <cstddef>
#include <exception>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <unordered_map>
#include <utility>
#include <vector>

namespace arena {

namespace {

using drogon::HttpRequestPtr;
using drogon::HttpResponse;
using drogon::HttpResponsePtr;
using drogon::Task;
using drogon::orm::DrogonDbException;
using drogon::orm::Result;

constexpr int kPort = 5432;
constexpr double kNoTimeout = -1;
const std::string kSelectOne = "select id, randomnumber from world where id = $1";

struct World {
  int id = 0;
  int number = 0;
};
using Worlds = std::vector<World>;

World world_of(const drogon::orm::Row& row) {
  return {row[0].as<int>(), row[1].as<int>()};
}

int count_of(const HttpRequestPtr& request) {
  return arena::count_of(request->getParameter("count"));
}

std::vector<int> random_ids(int count) {
  std::vector<int> ids(static_cast<std::size_t>(count));
  std::generate(ids.begin(), ids.end(), &random_number);
  return ids;
}

Json::Value json_of(const World& world) {
  Json::Value json;
  json["id"] = world.id;
  json["randomNumber"] = world.number;
  return json;
}

Json::Value json_of(const Worlds& worlds) {
  Json::Value json(Json::arrayValue);
  for (const World& world : worlds) {
    json.append(json_of(world));
  }
  return json;
}

/// Waits for worlds, each by a statement and a Sync of its own, all sent ahead of the first answer.
class Reading : public drogon::CallbackAwaiter<Worlds> {
 public:
  explicit Reading(std::vector<int> ids) : ids_(std::move(ids)), left_(ids_.size() + 1) {}

  /// False where all have been answered already.
  bool await_suspend(std::coroutine_handle<> waiting) {
    const auto db = drogon::app().getFastDbClient();
    for (const int id : ids_) {
      db->execSqlAsync(
          kSelectOne,
          [this, waiting](const Result& rows) {
            worlds_.push_back(world_of(rows.front()));
            resume_after_last(waiting);
          },
          [this, waiting](const DrogonDbException& fault) {
            setException(std::make_exception_ptr(std::runtime_error(fault.base().what())));
            resume_after_last(waiting);
          },
          id);
    }
    return !is_last();
  }

 private:
  bool is_last() {
    if (--left_ != 0) {
      return false;
    }
    setValue(std::move(worlds_));
    return true;
  }
  void resume_after_last(std::coroutine_handle<> waiting) {
    if (is_last()) {
      waiting.resume();
    }
  }

  std::vector<int> ids_;
  std::size_t left_;  // one more than are on their way, until all are
  Worlds worlds_;
};

Task<HttpResponsePtr> one_world(HttpRequestPtr) {
  const auto rows =
      co_await drogon::app().getFastDbClient()->execSqlCoro(kSelectOne, random_number());
  co_return HttpResponse::newHttpJsonResponse(json_of(world_of(rows.front())));
}

Task<HttpResponsePtr> some_worlds(HttpRequestPtr request) {
  Reading reading(random_ids(count_of(request)));
  co_return HttpResponse::newHttpJsonResponse(json_of(co_await reading));
}

/// A literal of a PostgreSQL array.
class ArrayText {
 public:
  void add(int value) {
    text_ += text_.empty() ? '{' : ',';
    text_ += std::to_string(value);
  }
  std::string take() { return std::move(text_) + '}'; }

 private:
  std::string text_;
};

/// All of them by one statement.
Task<HttpResponsePtr> update_worlds(HttpRequestPtr request) {
  Reading reading(different_ids(count_of(request)));
  Worlds worlds = co_await reading;
  ArrayText ids;
  ArrayText numbers;
  for (World& world : worlds) {
    world.number = random_number();
    ids.add(world.id);
    numbers.add(world.number);
  }
  co_await drogon::app().getFastDbClient()->execSqlCoro(
      "update world set randomnumber = new.number "
      "from unnest($1::int[], $2::int[]) as new(id, number) where world.id = new.id",
      ids.take(), numbers.take());
  co_return HttpResponse::newHttpJsonResponse(json_of(worlds));
}

Task<HttpResponsePtr> fortunes(HttpRequestPtr) {
  const auto rows =
      co_await drogon::app().getFastDbClient()->execSqlCoro("select id, message from fortune");
  std::vector<Fortune> all;
  for (const auto& row : rows) {
    all.push_back({row[0].as<int>(), row[1].as<std::string>()});
  }
  all.push_back({0, "Additional fortune added at request time."});
  std::sort(all.begin(), all.end(),
            [](const Fortune& a, const Fortune& b) { return a.message < b.message; });
  drogon::HttpViewData data;
  data.insert("fortunes", std::move(all));
  co_return HttpResponse::newHttpViewResponse("fortunes", data);
}

using Cached = std::unordered_map<int, World>;

void add_cached(Cached cached) {
  const auto worlds = std::make_shared<const Cached>(std::move(cached));
  drogon::app().registerHandler("/cached-queries",
                                [worlds](const HttpRequestPtr& request,
                                         std::function<void(const HttpResponsePtr&)>&& answer) {
                                  Worlds found;
                                  for (const int id : random_ids(count_of(request))) {
                                    found.push_back(worlds->at(id));
                                  }
                                  answer(HttpResponse::newHttpJsonResponse(json_of(found)));
                                },
                                {drogon::Get});
}

/// libpq's keywords, of which an application of Drogon's has each by itself.
drogon::orm::PostgresConfig config_of(const Options& options) {
  std::unordered_map<std::string, std::string> words;
  std::istringstream text(options.database);
  for (std::string word; text >> word;) {
    const std::size_t mark = word.find('=');
    words[word.substr(0, mark)] = word.substr(mark + 1);
  }
  const int port = number(words["port"], CommandLine::kPortMax).value_or(kPort);
  drogon::orm::PostgresConfig config{};
  config.host = words["host"];
  config.port = static_cast<unsigned short>(port);
  config.databaseName = words["dbname"];
  config.username = words["user"];
  config.connectionNumber = static_cast<std::size_t>(options.database_connections);
  config.name = "default";
  config.isFast = true;
  config.timeout = kNoTimeout;
  return config;
}

Cached read_all(const std::string& where) {
  const auto db = drogon::orm::DbClient::newPgClient(where, 1);
  Cached cached;
  for (const auto& row : db->execSqlSync("select id, randomnumber from world")) {
    cached.emplace(row[0].as<int>(), world_of(row));
  }
  return cached;
}

}  // namespace

void add_database(const Options& options) {
  if (options.database.empty()) {
    return;
  }
  drogon::app().addDbClient(config_of(options));
  drogon::app().registerHandler("/db", &one_world, {drogon::Get});
  drogon::app().registerHandler("/queries", &some_worlds, {drogon::Get});
  drogon::app().registerHandler("/updates", &update_worlds, {drogon::Get});
  drogon::app().registerHandler("/fortunes", &fortunes, {drogon::Get});
  add_cached(read_all(options.database));
  add_items();
}

}  // namespace arena
