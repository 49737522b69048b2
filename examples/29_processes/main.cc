// An application with several processes that share sessions, limits, topics and notes in Redis.
// Start two with REDIS=redis://localhost:6379 and a different --port each, and open a WebSocket to
// /live of one:
//   curl -b jar -c jar -d 'Buy milk' :8080/notes    curl -b jar :8081/mine    curl :8081/notes
#include <eider/eider.h>
#include <eider/middleware.h>
#include <eider/redis.h>
#include <eider/sessions.h>

#include <cstdlib>

using namespace eider;

struct Visit {
  std::vector<std::int64_t> notes = {};  // written by this browser
};

struct Note {
  std::int64_t id;
  std::string text;
};

// Stores the number of a note and its text in one step: readers of the list see both or neither.
Task<Created<Note>> add(Body text, Session<Visit> session, State<Redis> redis,
                        State<Topics> topics) {
  Note note{.id = 0, .text = std::string(text.view())};
  note.id = co_await redis->command<std::int64_t>("RPUSH", "notes", note.text);
  session->notes.push_back(note.id);
  topics->publish("notes", json::to_text(note));
  co_return Created(std::move(note));
}

Task<std::vector<std::string>> all(State<Redis> redis) {
  co_return co_await redis->command<std::vector<std::string>>("LRANGE", "notes", 0, -1);
}

// For load balancers: whether this process can use Redis, and receives messages of the others.
Task<Result<void>> health(State<Redis> redis, State<TopicBackplane> backplane) {
  const Redis at_once = redis->within(std::chrono::milliseconds(200));
  co_await at_once.command("PING");
  if (backplane->counts().missed == 0) {
    co_return fail(Error(503, "The topics of other processes are not connected yet."));
  }
  co_return {};
}

App make_app() {
  const char* const where = std::getenv("REDIS");
  const Redis redis(where == nullptr ? "redis://localhost:6379" : where,
                    {.connect_time_max = std::chrono::milliseconds(500)});
  App app;
  app.state(redis);
  // Without TLS, for development; with TLS, omit `is_secure`.
  add_sessions<Visit>(app, {.store = redis_sessions(redis), .is_secure = false});
  // After a lost connection, messages of other processes may be missing.
  add_topic_backplane(app, redis_topics(redis), {.on_missed = [](Topics& topics) {
                        topics.publish_here("notes", {ws::MessageType::text, R"({"is_gap":true})"});
                      }});
  app.get("/health", health);
  app.get("/notes", all);
  app.post("/notes", add)
      .use(rate_limit({.requests = 1000, .per = std::chrono::seconds(1)}, redis_rates(redis)));
  app.get("/mine", [](Session<const Visit> session) { return session->notes; });
  app.ws("/live", [](WebSocket socket) -> Task<> {
    socket.subscribe("notes");
    while (co_await socket.receive()) {
    }
  });
  return app;
}

int main(int argc, char** argv) {
  return run_app("notes", argc, argv, make_app);
}
