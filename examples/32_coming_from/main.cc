// The code of the migration guides in docs/migrate.
//   bin/32_coming_from --files public --port 8080
//   curl localhost:8080/hello/Ada?times=2
//   curl localhost:8080/api/notes --json '{"title": "Milk"}'
#include <eider/client.h>
#include <eider/eider.h>
#include <eider/middleware.h>
#include <eider/runtime.h>
#include <eider/sessions.h>
#include <eider/sqlite.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

using namespace eider;
using namespace std::chrono_literals;

namespace {

struct Greeting {
  Bounded<int, 1, 9> times = 1;  // ?times=2; default: 1; 10 returns 400
};

void add_greetings(App& app) {
  app.get("/", [] { return "Hello world"; });
  app.get("/hello/{name}", [](std::string_view name, Query<Greeting> query) {
    std::string text;
    for (int i = 0; i < query->times; ++i) {
      text.append("Hello ").append(name).append("\n");
    }
    return text;
  });
  app.get("/files/{path...}", [](std::string_view path) { return std::string(path); });
  app.get("/page", [] { return Html("<!doctype html><title>Page</title><h1>Hello</h1>"); });
  app.get("/old", [] { return Redirect("/page"); });
  app.get("/teapot", [] { return Response::text("short and stout\n", 418); });
  app.get("/agent", [](Header<"user-agent", std::optional<std::string_view>> agent) {
    return std::string(agent->value_or("unknown"));
  });
  app.any("/echo", [](Request& request) { return std::string(request.body()); })
      .body_bytes_max(std::size_t{2} << 20);
  app.get("/me", [](const ClientInfo& client) { return client.address + " by " + client.scheme; });
}

struct NewNote {
  Sized<std::string, 1, 200> title;
  bool done = false;
};

struct Note {
  std::int64_t id;
  std::string title;
  bool done;
};

void add_notes(Routes api) {
  api.get("/notes", [](State<Database> db) -> Task<std::vector<Note>> {
    co_return co_await db->all<Note>("select id, title, done from notes order by id limit 100");
  });
  api.get("/notes/{id}", [](std::int64_t id, State<Database> db) -> Task<std::optional<Note>> {
    co_return co_await db->one<Note>("select id, title, done from notes where id = $1", id);
  });
  api.post("/notes", [](Json<NewNote> note, State<Database> db) -> Task<Created<Note>> {
    std::optional<Note> added = co_await db->one<Note>(
        "insert into notes(title, done) values($1, $2) returning id, title, done", note->title,
        note->done);
    co_return Created(std::move(*added));
  });
  api.del("/notes/{id}", [](std::int64_t id, State<Database> db) -> Task<> {
    const db::Changed changed = co_await db->exec("delete from notes where id = $1", id);
    if (changed.rows == 0) {
      throw Error::not_found("There is no such note.");
    }
  });
}

void add_what_stands_around(App& app) {
  app.trust_proxies("127.0.0.1, ::1");  // a server in front, as in docs/operations/http3.md
  app.observe(access_log());
  app.use(request_id());
  app.on_response([](const Request&, Response& response) {
    response.replace_header("X-Powered-By", "a duck");
  });
  app.use([](Request& request, Next next) -> Task<Response> {
    const auto began = std::chrono::steady_clock::now();
    Response response = co_await next();
    const auto took = std::chrono::steady_clock::now() - began;
    if (request.path() == "/slow") {
      const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(took).count();
      response.replace_header("Server-Timing", "all;dur=" + std::to_string(ms));
    }
    co_return response;
  });
}

Routes guarded_api(App& app) {
  Routes api = app.group("/api");
  api.use(cors({.origins = {"https://app.example"}}));
  api.use(rate_limit({.requests = 300, .per = 1min}));
  return api;
}

struct Visit {
  int count = 0;
};

void add_theme(App& app) {
  // is_secure = false, because this example has no TLS.
  add_sessions<Visit>(app, {.cookie = "sid", .is_secure = false});
  app.get("/visits", [](Session<Visit> session) { return ++session->count; });
  app.get("/theme", [](Cookie<"theme", std::optional<std::string>> theme) {
    return theme->value_or("light");
  });
  app.post("/theme/{theme}", [](std::string theme) {
    return ResponseOf(Redirect("/theme")).cookie({.name = "theme", .value = std::move(theme)});
  });
}

struct Kept {
  std::string name;
  std::uint64_t bytes;
};

Task<std::vector<Kept>> take_files(Multipart form) {
  std::vector<Kept> kept;
  while (true) {
    auto part = co_await form.next();
    if (!part) {
      co_return kept;
    }
    if (part->filename) {
      TempFile file = co_await part->save("/tmp");  // deleted with `file`
      kept.push_back({.name = safe_filename(*part->filename), .bytes = file.size()});
    }
  }
}

int hash_slowly(int number) {
  std::this_thread::sleep_for(50ms);
  return number * 7;
}

void add_what_waits(App& app) {
  app.get("/slow", []() -> Task<std::string> {
    co_await sleep_for(200ms);  // no thread waits
    co_return "done";
  });
  app.get("/hash/{number}", blocking(hash_slowly));  // a thread of the pool does
  app.post("/upload", take_files).body_bytes_max(std::size_t{1} << 30);
  app.get("/ticks", [](EventStream events) -> Task<> {
    while (true) {
      co_await events.send({.event = "tick", .data = "now"});
      co_await sleep_for(1s);
    }
  });
  app.state<LoopLocal<HttpClient>>([] { return std::make_unique<HttpClient>(); });
  app.get("/other", [](State<LoopLocal<HttpClient>> clients) -> Task<Result<std::string>> {
    auto reply = co_await clients->here().get("http://127.0.0.1:9000/");
    if (!reply) {
      co_return fail(to_error(reply.error()));
    }
    co_return std::string(reply->body());
  });
}

void add_sockets(App& app) {
  app.ws("/echo-socket", [](WebSocket ws) -> Task<> {
    while (auto message = co_await ws.receive()) {
      if (!co_await ws.send(*message)) {
        break;
      }
    }
  });
  app.ws("/rooms/{room}", [](WebSocket ws, std::string room) -> Task<> {
    ws.subscribe(room);
    while (auto message = co_await ws.receive()) {
      ws.publish(room, message->bytes);
    }
  });
}

struct Options {
  std::string files = ".";

  static constexpr OptionText kOptions[] = {
      {"files", "Directory to serve at /static", "DIRECTORY"}};
};

App make_app(const Options& own) {
  App app;
  app.state(open_sqlite(":memory:", {.schema = "create table notes(id integer primary key, title "
                                               "text not null, done integer not null)"}));
  add_what_stands_around(app);
  add_greetings(app);
  add_notes(guarded_api(app));
  add_theme(app);
  add_what_waits(app);
  add_sockets(app);
  serve_files(app, "/static", own.files);
  return app;
}

}  // namespace

/// Throws if a directory cannot be served.
int main(int argc, char** argv) {
  return run_app<Options>("coming_from", argc, argv, make_app);
}
