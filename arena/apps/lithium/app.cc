// The arena's endpoints on lithium: a fiber per connection, a loop per thread, its static JSON.
//
//   lithium_app PORT THREADS DELAY_MS [--routes N] [--middlewares M]
//     [--database WHERE --database-connections N]
#include <lithium_http_server.hh>

#include <deque>
#include <string>
#include <string_view>
#include <thread>

#include "../common/adapter.h"
#include "../common/adapter_json.h"
#include "answers.h"
#include "database.h"
#include "profiles.h"
#include "symbols.h"

namespace {

using arena::answer;
using arena::Options;
using li::http_api;
using li::http_request;
using li::http_response;

/// The library has no middlewares: functions around functions.
template <typename Handler>
auto layered(const Options& options, Handler handler) {
  return [count = options.middlewares, handler](http_request& request, http_response& response) {
    for (int i = 0; i < count; ++i) {
      static_cast<void>(request.http_ctx.url().size());
    }
    handler(request, response);
  };
}

void add_constant(http_api& api, const Options& options, std::string_view path, const char* type,
                  std::string body) {
  api.get(path) =
      layered(options, [type, body = std::move(body)](http_request&, http_response& response) {
        answer(response, type, body);
      });
}

void add_plain_routes(http_api& api, const Options& options) {
  for (const char* path : {"/plaintext", "/simple", "/bench"}) {
    add_constant(api, options, path, "text/plain", arena::kHello);
  }
  api.get("/json") = layered(options, [](http_request&, http_response& response) {
    response.write_json(s::message = arena::kHello);
  });
  add_constant(api, options, "/html", "text/html", arena::kHtml);
  add_constant(api, options, "/test/status", "text/plain", "OK");
  api.get("/test/labels/{{label}}") =
      layered(options, [](http_request& request, http_response& response) {
        const auto values = request.url_parameters(s::label = std::string());
        answer(response, "text/plain", values.label);
      });
  add_constant(api, options, "/bytes/1024", arena::kOctets, arena::filled(arena::kSizes[0]));
  add_constant(api, options, "/bytes/65536", arena::kOctets, arena::filled(arena::kSizes[1]));
  add_constant(api, options, "/bytes/1048576", arena::kOctets, arena::filled(arena::kSizes[2]));
}

void add_slow_routes(http_api& api, const Options& options) {
  const auto handler = [delay = options.delay](http_request& request, http_response& response) {
    const auto reply = arena::reply_to(request.http_ctx.read_whole_body());
    std::this_thread::sleep_for(delay);
    if (!reply) {
      throw li::http_error::bad_request("the body must be a JSON object");
    }
    answer(response, "application/json", *reply);
  };
  api.post("/test") = layered(options, handler);
  api.post("/test/blocking") = layered(options, handler);
}

void add_typed_routes(http_api& api, const Options& options) {
  api.get("/users/{{id}}/posts/{{item}}") =
      layered(options, [](http_request& request, http_response& response) {
        const auto values = request.url_parameters(s::id = int(), s::item = int());
        answer(response, "text/plain", arena::post_text(values.id, values.item));
      });
  static std::deque<std::string> patterns;  // the table keeps views of them
  for (int i = 0; i < options.routes; ++i) {
    const std::string n = std::to_string(i);
    patterns.push_back("/area" + n + "/{{id}}/item" + n + "/{{item}}");
    api.get(patterns.back()) = layered(options, [](http_request& request, http_response& response) {
      const auto values = request.url_parameters(s::id = int(), s::item = int());
      answer(response, "text/plain", std::to_string(values.id + values.item));
    });
  }
}

// A connection to the database that was idle for so long would be closed as a client's, behind the
// back of its pool.
constexpr int kIdleSeconds = 24 * 60 * 60;

}  // namespace

int main(int argc, char** argv) {
  const Options options = arena::read_options(argc, argv);
  http_api api;
  add_plain_routes(api, options);
  add_slow_routes(api, options);
  add_typed_routes(api, options);
  arena::add_database(api, options);
  arena::add_profiles(api);
  li::http_serve(api, options.port, s::nthreads = options.threads,
                 s::idle_timeout_seconds = kIdleSeconds);  // ends itself on SIGTERM
}
