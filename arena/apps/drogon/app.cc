// The arena's endpoints on Drogon: its router, its JSON, timers of its loops, its task queue.
//
//   drogon_app PORT THREADS DELAY_MS [--routes N] [--middlewares M]
//     [--database WHERE --database-connections N]
#include <drogon/drogon.h>
#include <trantor/net/EventLoop.h>
#include <trantor/utils/ConcurrentTaskQueue.h>

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <thread>

#include "../common/adapter.h"
#include "database.h"
#include "orders.h"
#include "profiles.h"

namespace {

using arena::Options;
using drogon::HttpRequestPtr;
using drogon::HttpResponse;
using drogon::HttpResponsePtr;
using Callback = std::function<void(const HttpResponsePtr&)>;

constexpr std::size_t kIdleSeconds = 600;

void answer(const Callback& callback, drogon::ContentType type, std::string body) {
  const HttpResponsePtr response = HttpResponse::newHttpResponse();
  response->setContentTypeCode(type);
  response->setBody(std::move(body));
  callback(response);
}

/// The object in the body with `"reply":"received"` added, or a refusal.
HttpResponsePtr reply_to(const HttpRequestPtr& request) {
  const std::string_view body = request->body();
  const std::unique_ptr<Json::CharReader> reader(Json::CharReaderBuilder().newCharReader());
  Json::Value json;
  const bool is_read = reader->parse(body.data(), body.data() + body.size(), &json, nullptr);
  if (!is_read || !json.isObject()) {
    const HttpResponsePtr refusal = HttpResponse::newHttpResponse();
    refusal->setStatusCode(drogon::k400BadRequest);
    return refusal;
  }
  json["reply"] = "received";
  return HttpResponse::newHttpJsonResponse(std::move(json));
}

void add_constant(const std::string& path, drogon::ContentType type, std::string body) {
  drogon::app().registerHandler(
      path,
      [type, body = std::move(body)](const HttpRequestPtr&, Callback&& callback) {
        answer(callback, type, body);
      },
      {drogon::Get});
}

void add_plain_routes() {
  for (const char* path : {"/plaintext", "/simple", "/bench"}) {
    add_constant(path, drogon::CT_TEXT_PLAIN, arena::kHello);
  }
  drogon::app().registerHandler("/json",
                                [](const HttpRequestPtr&, Callback&& callback) {
                                  Json::Value json;
                                  json["message"] = arena::kHello;
                                  callback(HttpResponse::newHttpJsonResponse(std::move(json)));
                                },
                                {drogon::Get});
  add_constant("/html", drogon::CT_TEXT_HTML, arena::kHtml);
  add_constant("/test/status", drogon::CT_TEXT_PLAIN, "OK");
  drogon::app().registerHandler(
      "/test/labels/{label}",
      [](const HttpRequestPtr&, Callback&& callback, const std::string& label) {
        answer(callback, drogon::CT_TEXT_PLAIN, label);
      },
      {drogon::Get});
  for (const int size : arena::kSizes) {
    add_constant("/bytes/" + std::to_string(size), drogon::CT_APPLICATION_OCTET_STREAM,
                 arena::filled(size));
  }
}

void add_waiting_route(std::chrono::milliseconds delay) {
  const double seconds = std::chrono::duration<double>(delay).count();
  drogon::app().registerHandler(
      "/test",
      [seconds](const HttpRequestPtr& request, Callback&& callback) {
        if (seconds == 0) {
          callback(reply_to(request));
          return;
        }
        trantor::EventLoop::getEventLoopOfCurrentThread()->runAfter(
            seconds, [request, callback = std::move(callback)] { callback(reply_to(request)); });
      },
      {drogon::Post});
}

void add_blocking_route(trantor::ConcurrentTaskQueue& pool, std::chrono::milliseconds delay) {
  drogon::app().registerHandler(
      "/test/blocking",
      [&pool, delay](const HttpRequestPtr& request, Callback&& callback) {
        pool.runTaskInQueue([delay, request, callback = std::move(callback)] {
          std::this_thread::sleep_for(delay);
          callback(reply_to(request));
        });
      },
      {drogon::Post});
}

void add_typed_routes(int company) {
  drogon::app().registerHandler("/users/{id}/posts/{pid}",
                                [](const HttpRequestPtr&, Callback&& callback, int id, int post) {
                                  answer(callback, drogon::CT_TEXT_PLAIN,
                                         arena::post_text(id, post));
                                },
                                {drogon::Get});
  for (int i = 0; i < company; ++i) {
    const std::string n = std::to_string(i);
    drogon::app().registerHandler("/area" + n + "/{id}/item" + n + "/{item}",
                                  [](const HttpRequestPtr&, Callback&& callback, int id, int item) {
                                    answer(callback, drogon::CT_TEXT_PLAIN,
                                           std::to_string(id + item));
                                  },
                                  {drogon::Get});
  }
}

void add_middlewares(int count) {
  for (int i = 0; i < count; ++i) {
    drogon::app().registerPreRoutingAdvice(
        [](const HttpRequestPtr& request) { static_cast<void>(request->path().size()); });
  }
}

}  // namespace

int main(int argc, char** argv) {
  const Options options = arena::read_options(argc, argv);
  const auto threads = static_cast<std::size_t>(options.threads);
  trantor::ConcurrentTaskQueue pool(threads, "blocking");
  add_plain_routes();
  add_waiting_route(options.delay);
  add_blocking_route(pool, options.delay);
  add_typed_routes(options.routes);
  add_middlewares(options.middlewares);
  arena::add_orders();
  arena::add_database(options);
  arena::add_profiles();
  // It makes a folder for uploads where it stands, and ends by itself on SIGTERM.
  drogon::app()
      .setUploadPath((std::filesystem::temp_directory_path() / "arena_drogon").string())
      .setLogLevel(trantor::Logger::kFatal)
      .setIdleConnectionTimeout(kIdleSeconds)
      .setThreadNum(threads)
      .addListener("0.0.0.0", static_cast<std::uint16_t>(options.port))
      .run();
}
