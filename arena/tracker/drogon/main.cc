// The issue tracker on Drogon: tracker CONFIG.json, with TRACKER_… in the environment ahead of it.
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "around.h"
#include "live.h"
#include "web.h"

namespace tracker {

static constexpr std::size_t kUploadBytesMax = std::size_t{50} << 20;

/// Drogon has a statement a call, and no hook for a new connection; so there is one connection.
static Task<> make_tables() {
  for (const char* statement :
       {"pragma journal_mode = wal", "pragma synchronous = normal", "pragma foreign_keys = on",
        "create table if not exists users(id integer primary key, name text not null unique, "
        "email text not null, password text not null, role text not null)",
        "create table if not exists issues(id integer primary key autoincrement, "
        "title text not null, body text not null, state text not null default 'open', "
        "priority integer not null, labels text not null, "
        "assignee_id integer references users(id), author text not null, "
        "version integer not null default 1, "
        "created text not null default (strftime('%Y-%m-%dT%H:%M:%SZ')))",
        "create table if not exists attachments(id integer primary key, "
        "issue_id integer not null references issues(id) on delete cascade, "
        "name text not null, size integer not null, file text not null unique)",
        "create table if not exists events(id integer primary key autoincrement, "
        "kind text not null, issue_id integer not null, by text not null, "
        "is_delivered integer not null default 0)"}) {
    co_await drogon::app().getDbClient()->execSqlCoro(statement);
  }
}

static Task<> begin() {
  co_await make_tables();
  if (const std::string url = setting("webhook"); !url.empty()) {
    co_await deliver(url, setting("webhook_secret"));
  }
}

static Task<HttpResponsePtr> health(HttpRequestPtr) {
  co_await drogon::app().getDbClient()->execSqlCoro("select 1");
  co_return no_content();
}

static void add_plugins() {
  Json::Value metrics;
  Json::Value& counter = metrics["collectors"][0];
  counter["name"] = "http_requests_total";
  counter["help"] = "Requests by method, route and status.";
  counter["type"] = "counter";
  for (const char* label : {"method", "route", "status"}) {
    counter["labels"].append(label);
  }
  drogon::app().addPlugin("drogon::plugin::PromExporter", {}, metrics);
  Json::Value log;
  log["log_format"] = "$method $path $status $processing_time $upstream_http_x-request-id";
  drogon::app().addPlugin("drogon::plugin::AccessLogger", {}, log);
}

static void run() {
  std::setvbuf(stdout, nullptr, _IOLBF, 0);  // Drogon flushes no line of the log
  std::filesystem::create_directories(setting("uploads", "uploads"));
  add_advices();
  add_plugins();
  drogon::app()
      .setExceptionHandler([](const std::exception& exception, const HttpRequestPtr&,
                              std::function<void(const HttpResponsePtr&)>&& callback) {
        callback(answer_to(exception));
      })
      .registerHandler("/health", &health, {drogon::Get})
      .registerBeginningAdvice([] { drogon::async_run(begin); })
      .addDbClient(drogon::orm::Sqlite3Config{1, setting("database", "tracker.db"), "default", 10})
      .enableSession(std::chrono::hours(12), drogon::Cookie::SameSite::kLax)
      .setClientMaxBodySize(kUploadBytesMax)
      .setUploadPath((std::filesystem::temp_directory_path() / "tracker_drogon").string())
      .addListener("127.0.0.1", static_cast<std::uint16_t>(std::stoi(setting("port", "8080"))))
      .setLogLevel(trantor::Logger::kInfo)
      .setThreadNum(0)
      .run();
}

}  // namespace tracker

int main(int argc, char** argv) {
  if (argc > 1) {
    drogon::app().loadConfigFile(argv[1]);
  }
  tracker::run();
  std::quick_exit(0);  // Drogon's own end crashes once a session has changed its name
}
