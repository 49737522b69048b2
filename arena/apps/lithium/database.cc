#include "database.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "answers.h"

namespace arena {

namespace {

using li::http_api;
using li::http_request;
using li::http_response;

constexpr int kPort = 5432;

struct Fortune {
  int id = 0;
  std::string message;
};

// Never deleted: its destructor looks into what belongs to its thread, which is gone by then.
li::pgsql_database* opened = nullptr;

auto& worlds() {
  static auto schema =
      li::sql_orm_schema(database(), "world")
          .fields(s::id(s::auto_increment, s::primary_key) = int(), s::randomNumber = int());
  return schema;
}

auto& fortunes() {
  static auto schema =
      li::sql_orm_schema(database(), "fortune")
          .fields(s::id(s::auto_increment, s::primary_key) = int(), s::message = std::string());
  return schema;
}

using World = decltype(worlds().all_fields());

std::vector<World>& cached() {
  static std::vector<World> by_id(kWorlds + 1);
  return by_id;
}

int count_of(http_request& request) {
  const auto asked = request.get_parameters(s::count = std::optional<std::string>());
  return arena::count_of(asked.count.value_or(""));
}

void one_world(http_request& request, http_response& response) {
  response.write_json(*worlds().connect(request.fiber).find_one(s::id = random_number()));
}

/// One statement after the other: the client has no pipelining.
void some_worlds(http_request& request, http_response& response) {
  const int count = count_of(request);
  auto connection = worlds().connect(request.fiber);
  response.write_json_generator(
      count, [&connection] { return *connection.find_one(s::id = random_number()); });
}

void cached_worlds(http_request& request, http_response& response) {
  response.write_json_generator(count_of(request),
                                [] { return cached()[static_cast<std::size_t>(random_number())]; });
}

void update_worlds(http_request& request, http_response& response) {
  const std::vector<int> ids = different_ids(count_of(request));
  std::vector<World> found;
  {
    auto connection = worlds().connect(request.fiber);
    for (const int id : ids) {
      found.push_back(*connection.find_one(s::id = id));
      found.back().randomNumber = random_number();
    }
    connection.bulk_update(found);
  }
  response.write_json(found);
}

/// lithium has no templates.
void append_escaped(std::string& page, std::string_view text) {
  for (const char letter : text) {
    switch (letter) {
      case '&':
        page += "&amp;";
        break;
      case '<':
        page += "&lt;";
        break;
      case '>':
        page += "&gt;";
        break;
      case '"':
        page += "&quot;";
        break;
      case '\'':
        page += "&#39;";
        break;
      default:
        page += letter;
    }
  }
}

std::string page_of(const std::vector<Fortune>& all) {
  std::string page =
      "<!DOCTYPE html><html><head><title>Fortunes</title></head><body><table>"
      "<tr><th>id</th><th>message</th></tr>";
  for (const Fortune& fortune : all) {
    page += "<tr><td>";
    page += std::to_string(fortune.id);
    page += "</td><td>";
    append_escaped(page, fortune.message);
    page += "</td></tr>";
  }
  return page += "</table></body></html>";
}

void show_fortunes(http_request& request, http_response& response) {
  std::vector<Fortune> all;
  fortunes().connect(request.fiber).forall([&all](const auto& fortune) {
    all.push_back({fortune.id, fortune.message});
  });
  all.push_back({0, "Additional fortune added at request time."});
  std::sort(all.begin(), all.end(),
            [](const Fortune& a, const Fortune& b) { return a.message < b.message; });
  answer(response, "text/html; charset=utf-8", page_of(all));
}

/// A folder as the host of a URL, which is how the client writes where the database is.
std::string host_of(std::string_view place) {
  std::string host;
  for (const char letter : place) {
    if (letter == '/') {
      host += "%2F";
    } else {
      host += letter;
    }
  }
  return host;
}

/// libpq's keywords, of which an application of lithium's has each by itself.
void open(const Options& options) {
  std::unordered_map<std::string, std::string> words;
  std::istringstream text(options.database);
  for (std::string word; text >> word;) {
    const std::size_t mark = word.find('=');
    words[word.substr(0, mark)] = word.substr(mark + 1);
  }
  opened =
      new li::pgsql_database(s::host = host_of(words["host"]), s::database = words["dbname"],
                             s::user = words["user"], s::password = std::string(),
                             s::port = number(words["port"], CommandLine::kPortMax).value_or(kPort),
                             s::max_async_connections_per_thread = options.database_connections);
}

void fill_cache() {
  worlds().connect().forall([](const auto& world) {
    World& kept = cached()[static_cast<std::size_t>(world.id)];
    kept.id = world.id;
    kept.randomNumber = world.randomNumber;
  });
  database().clear_connections();
}

}  // namespace

li::pgsql_database& database() {
  return *opened;
}

void add_database(http_api& api, const Options& options) {
  if (options.database.empty()) {
    return;
  }
  open(options);
  fill_cache();
  api.get("/db") = &one_world;
  api.get("/queries") = &some_worlds;
  api.get("/updates") = &update_worlds;
  api.get("/cached-queries") = &cached_worlds;
  api.get("/fortunes") = &show_fortunes;
  add_items(api);
}

}  // namespace arena
