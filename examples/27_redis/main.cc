// Short links and their visits in Redis. Start it with REDIS=redis://localhost:6379
//   curl :8080/links/home --json '{"url": "https://example.org/", "owner": "ada"}'
//   curl -i :8080/links/home; curl :8080/links; curl -N :8080/visits
#include <eider/eider.h>
#include <eider/redis.h>

#include <cstdlib>

using namespace eider;
using redis::word;

struct Link {
  std::string url;
  std::string owner;
  std::int64_t visits = 0;
};

struct NewLink {
  Sized<std::string, 1, 2000> url;
  std::string owner;
};

struct Visited {
  std::string name;
  std::int64_t visits;
};

std::string key_of(const std::string& name) {
  return "link:" + name;
}

// Only the first request gets the name, and the entry is complete or missing.
const redis::Script kAdd(
    "if redis.call('EXISTS', KEYS[1]) == 1 then return 0 end "
    "redis.call('HSET', KEYS[1], unpack(ARGV)) return 1");

Task<Result<Created<Link>>> add(std::string name, Json<NewLink> link, State<Redis> redis) {
  std::vector<std::string> keys{key_of(name)};
  if (!co_await redis->run<bool>(kAdd, keys, "url", link->url, "owner", link->owner)) {
    co_return fail(Error::conflict("A link with this name already exists."));
  }
  co_return Created(Link{.url = *link->url, .owner = link->owner});
}

Task<std::optional<Link>> visit(std::string name, State<Redis> redis) {
  auto link = co_await redis->command<std::optional<Link>>("HGETALL", key_of(name));
  if (link) {
    // All commands are sent together, and no other command runs in between.
    auto [visits, score, hearers] = co_await redis->transaction(
        word<std::int64_t>("HINCRBY", key_of(name), "visits", 1),
        word<double>("ZINCRBY", "visited", 1, name), word<int>("PUBLISH", "visits", name));
    link->visits = visits;
  }
  co_return link;
}

Task<std::vector<Visited>> most_visited(State<Redis> redis) {
  co_return co_await redis->command<std::vector<Visited>>("ZREVRANGE", "visited", 0, 9,
                                                          "WITHSCORES");
}

// Sends visits as they happen, in any process.
Task<> watch(EventStream events, State<Redis> redis) {
  RedisSubscriber visits(*redis);
  co_await visits.subscribe("visits");
  while (true) {
    const RedisMessage message = co_await visits.receive();
    const std::string name = message.is_gap ? "missed" : "visit";
    co_await events.send({.event = name, .data = message.payload});
  }
}

App make_app() {
  App app;
  const char* where = std::getenv("REDIS");
  app.state(Redis(where == nullptr ? "redis://localhost:6379" : where));
  app.post("/links/{name}", add);
  app.get("/links/{name}", visit);
  app.get("/links", most_visited);
  app.get("/visits", watch);
  return app;
}

int main(int argc, char** argv) {
  return run_app("links", argc, argv, make_app);
}
