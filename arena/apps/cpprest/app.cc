// The arena's endpoints on the C++ REST SDK: one listener, its own JSON, tasks and thread pool.
//
//   cpprest_app PORT THREADS DELAY_MS
#include <cpprest/http_listener.h>
#include <cpprest/json.h>
#include <pplx/pplxtasks.h>
#include <pplx/threadpool.h>

#include <boost/asio/steady_timer.hpp>
#include <memory>
#include <string>
#include <string_view>
#include <thread>

#include "../common/adapter.h"

namespace {

using arena::Options;
using web::http::http_request;
using web::http::http_response;
using web::http::status_codes;
using web::http::experimental::listener::http_listener;
using web::http::experimental::listener::http_listener_config;

constexpr int kBacklog = 4096;
constexpr int kIdleSeconds = 600;
constexpr std::chrono::seconds kCloseMax{2};

/// The failure of a task that nobody looks at ends the program: a client may leave at any time.
void ignore_failure(const pplx::task<void>& task) {
  try {
    task.get();
  } catch (const std::exception&) {
  }
}

/// The SDK closes where it was asked to, and leaves it to its user to say so.
bool is_last(const http_request& request) {
  const auto found = request.headers().find("Connection");
  return found != request.headers().end() && found->second == "close";
}

void send(const http_request& request, http_response response) {
  if (is_last(request)) {
    response.headers().add("Connection", "close");
  }
  request.reply(response).then(ignore_failure);
}

void answer(const http_request& request, const char* type, std::string body) {
  http_response response(status_codes::OK);
  response.set_body(std::move(body), type);
  send(request, response);
}

void answer_json(const http_request& request, const web::json::value& json) {
  http_response response(status_codes::OK);
  response.set_body(json);
  send(request, response);
}

void answer_hello(const http_request& request) {
  web::json::value json;
  json["message"] = web::json::value::string(arena::kHello);
  answer_json(request, json);
}

void refuse(const http_request& request, web::http::status_code status) {
  send(request, http_response(status));
}

/// `values` is "{id}/posts/{pid}".
void answer_user(const http_request& request, std::string_view values) {
  constexpr std::string_view kPosts = "/posts/";
  constexpr int kMost = 2147483647;
  const std::size_t middle = values.find(kPosts);
  if (middle == std::string_view::npos) {
    return refuse(request, status_codes::NotFound);
  }
  const auto id = arena::number(values.substr(0, middle), kMost);
  const auto post = arena::number(values.substr(middle + kPosts.size()), kMost);
  if (!id || !post) {
    return refuse(request, status_codes::NotFound);
  }
  answer(request, "text/plain", arena::post_text(*id, *post));
}

void answer_bytes(const http_request& request, std::string_view size) {
  for (const int known : arena::kSizes) {
    if (size == std::to_string(known)) {
      return answer(request, arena::kOctets, arena::filled(known));
    }
  }
  refuse(request, status_codes::NotFound);
}

void answer_with_values(const http_request& request, std::string_view path) {
  constexpr std::string_view kLabels = "/test/labels/";
  constexpr std::string_view kUsers = "/users/";
  constexpr std::string_view kBytes = "/bytes/";
  if (path.substr(0, kLabels.size()) == kLabels) {
    return answer(request, "text/plain", std::string(path.substr(kLabels.size())));
  }
  if (path.substr(0, kUsers.size()) == kUsers) {
    return answer_user(request, path.substr(kUsers.size()));
  }
  if (path.substr(0, kBytes.size()) == kBytes) {
    return answer_bytes(request, path.substr(kBytes.size()));
  }
  refuse(request, status_codes::NotFound);
}

void handle_get(const http_request& request) {
  const std::string path = request.request_uri().path();
  if (path == "/plaintext" || path == "/simple" || path == "/bench") {
    return answer(request, "text/plain", arena::kHello);
  }
  if (path == "/json") {
    return answer_hello(request);
  }
  if (path == "/html") {
    return answer(request, "text/html", arena::kHtml);
  }
  if (path == "/test/status") {
    return answer(request, "text/plain", "OK");
  }
  answer_with_values(request, path);
}

void answer_received(const http_request& request, web::json::value json) {
  if (!json.is_object()) {
    return refuse(request, status_codes::BadRequest);
  }
  json["reply"] = web::json::value::string("received");
  answer_json(request, json);
}

void answer_after(std::chrono::milliseconds delay, const http_request& request,
                  const web::json::value& json) {
  if (delay.count() == 0) {
    return answer_received(request, json);
  }
  auto& service = crossplat::threadpool::shared_instance().service();
  auto timer = std::make_shared<boost::asio::steady_timer>(service, delay);
  timer->async_wait([timer, request, json](const auto&) { answer_received(request, json); });
}

void handle_post(const http_request& request, std::chrono::milliseconds delay) {
  const std::string path = request.request_uri().path();
  const bool blocks = path == "/test/blocking";
  if (!blocks && path != "/test") {
    return refuse(request, status_codes::NotFound);
  }
  request.extract_json(true).then([=](const pplx::task<web::json::value>& body) {
    try {
      if (blocks) {
        std::this_thread::sleep_for(delay);
        answer_received(request, body.get());
      } else {
        answer_after(delay, request, body.get());
      }
    } catch (const std::exception&) {
      refuse(request, status_codes::BadRequest);
    }
  });
}

/// Closing waits on a thread of the pool for work of the pool: with one thread it never ends, so
/// the program then leaves without it.
void close(http_listener& listener) {
  const pplx::task<void> closing = listener.close();
  const auto last = std::chrono::steady_clock::now() + kCloseMax;
  while (!closing.is_done()) {
    if (std::chrono::steady_clock::now() > last) {
      std::_Exit(0);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
}

}  // namespace

int main(int argc, char** argv) {
  const Options options = arena::read_options(argc, argv);
  arena::block_stop_signals();
  crossplat::threadpool::initialize_with_threads(static_cast<std::size_t>(options.threads));
  http_listener_config config;
  config.set_backlog(kBacklog);
  config.set_timeout(utility::seconds(kIdleSeconds));
  http_listener listener("http://0.0.0.0:" + std::to_string(options.port), config);
  listener.support(web::http::methods::GET, handle_get);
  listener.support(web::http::methods::POST, [delay = options.delay](const http_request& request) {
    handle_post(request, delay);
  });
  listener.open().wait();
  arena::wait_for_stop();
  close(listener);
}
