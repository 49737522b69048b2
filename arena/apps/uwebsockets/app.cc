// The arena's endpoints on uWebSockets: an application, a loop and a listening socket per thread.
//
//   uws_app PORT THREADS DELAY_MS [--routes N] [--middlewares M]
#include <App.h>

#include <cstddef>
#include <cstdlib>
#include <functional>
#include <future>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "../common/adapter.h"
#include "../common/adapter_json.h"
#include "../common/rows.h"
#include "profiles.h"

namespace {

using arena::Options;
using Request = uWS::HttpRequest;
using Response = uWS::HttpResponse<false>;

constexpr int kMost = 2147483647;

/// The library closes where it was asked to, and leaves it to its user to say so.
bool is_last(Request* request) {
  return request->getHeader("connection") == "close";
}

void answer(Response* response, bool is_last, std::string_view type, std::string_view body) {
  response->writeHeader("Content-Type", type);
  if (is_last) {
    response->writeHeader("Connection", "close");
  }
  response->end(body);
}

void refuse(Response* response, std::string_view status) {
  response->writeStatus(status)->end();
}

/// A POST that is answered later, unless its client leaves before.
struct Exchange {
  Response* response;
  bool is_last;
  bool is_aborted = false;
  std::string body = {};
};
using ExchangePointer = std::shared_ptr<Exchange>;

void answer_post(const Exchange& exchange) {
  if (exchange.is_aborted) {
    return;
  }
  exchange.response->cork([&exchange] {
    const auto reply = arena::reply_to(exchange.body);
    if (!reply) {
      refuse(exchange.response, "400 Bad Request");
      return;
    }
    answer(exchange.response, exchange.is_last, "application/json", *reply);
  });
}

/// Calls `done` with the exchange when its body is whole.
template <typename Done>
void read_body(Response* response, Request* request, Done done) {
  auto exchange = std::make_shared<Exchange>(Exchange{response, is_last(request)});
  response->onAborted([exchange] { exchange->is_aborted = true; });
  response->onData([exchange, done](std::string_view chunk, bool is_end) {
    exchange->body.append(chunk);
    if (is_end) {
      done(exchange);
    }
  });
}

void answer_after(const ExchangePointer& exchange, std::chrono::milliseconds delay) {
  auto* loop = reinterpret_cast<us_loop_t*>(uWS::Loop::get());
  us_timer_t* timer = us_create_timer(loop, 0, sizeof(ExchangePointer));
  new (us_timer_ext(timer)) ExchangePointer(exchange);
  us_timer_set(
      timer,
      [](us_timer_t* due) {
        auto* held = static_cast<ExchangePointer*>(us_timer_ext(due));
        const ExchangePointer waiting = std::move(*held);
        held->~ExchangePointer();
        us_timer_close(due);
        answer_post(*waiting);
      },
      static_cast<int>(delay.count()), 0);
}

/// The library has no middlewares: functions around functions, as its documentation says.
template <typename Handler>
auto layered(const Options& options, Handler handler) {
  return [count = options.middlewares, handler](Response* response, Request* request) {
    for (int i = 0; i < count; ++i) {
      static_cast<void>(request->getUrl().size());
    }
    handler(response, request);
  };
}

void add_constant(uWS::App& app, const Options& options, const std::string& path, const char* type,
                  std::string body) {
  app.get(path,
          layered(options, [type, body = std::move(body)](Response* response, Request* request) {
            answer(response, is_last(request), type, body);
          }));
}

void add_plain_routes(uWS::App& app, const Options& options) {
  for (const char* path : {"/plaintext", "/simple", "/bench"}) {
    add_constant(app, options, path, "text/plain", arena::kHello);
  }
  app.get("/json", layered(options, [](Response* response, Request* request) {
            answer(response, is_last(request), "application/json", arena::hello_json());
          }));
  add_constant(app, options, "/html", "text/html", arena::kHtml);
  add_constant(app, options, "/test/status", "text/plain", "OK");
  app.get("/test/labels/:label", layered(options, [](Response* response, Request* request) {
            answer(response, is_last(request), "text/plain", request->getParameter(0));
          }));
  for (const int size : arena::kSizes) {
    add_constant(app, options, "/bytes/" + std::to_string(size), arena::kOctets,
                 arena::filled(size));
  }
}

void add_slow_routes(uWS::App& app, const Options& options) {
  const auto delay = options.delay;
  app.post("/test", layered(options, [delay](Response* response, Request* request) {
             read_body(response, request, [delay](const ExchangePointer& exchange) {
               delay.count() == 0 ? answer_post(*exchange) : answer_after(exchange, delay);
             });
           }));
  app.post("/test/blocking", layered(options, [delay](Response* response, Request* request) {
             read_body(response, request, [delay](const ExchangePointer& exchange) {
               std::this_thread::sleep_for(delay);
               answer_post(*exchange);
             });
           }));
}

/// Answers with what `text` makes of the two integers in the path.
template <typename Text>
void add_typed_route(uWS::App& app, const Options& options, const std::string& path, Text text) {
  app.get(path, layered(options, [text](Response* response, Request* request) {
            const auto first = arena::number(request->getParameter(0), kMost);
            const auto second = arena::number(request->getParameter(1), kMost);
            if (!first || !second) {
              refuse(response, "404 Not Found");
              return;
            }
            answer(response, is_last(request), "text/plain", text(*first, *second));
          }));
}

void add_typed_routes(uWS::App& app, const Options& options) {
  add_typed_route(app, options, "/users/:id/posts/:pid", arena::post_text);
  for (int i = 0; i < options.routes; ++i) {
    const std::string n = std::to_string(i);
    add_typed_route(app, options, "/area" + n + "/:id/item" + n + "/:item",
                    [](int id, int item) { return std::to_string(id + item); });
  }
}

void add_items(uWS::App& app, const Options& options) {
  const char* folder = std::getenv("PROFILES_DIR");
  if (folder == nullptr) {
    return;
  }
  app.get("/json/:count", layered(options, [all = arena::read_dataset(folder)](Response* response,
                                                                               Request* request) {
            const auto count = arena::items_asked(request->getParameter(0), all.size());
            if (!count) {
              refuse(response, "404 Not Found");
              return;
            }
            const int multiplier = arena::whole(request->getQuery("m")).value_or(1);
            answer(response, is_last(request), "application/json",
                   arena::items_json(all, *count, multiplier));
          }));
}

/// Counts the pieces as they come.
void add_upload(uWS::App& app) {
  app.post("/upload", [](Response* response, Request* request) {
    response->onAborted([] {});
    response->onData([response, is_last = is_last(request), bytes = std::size_t{0}](
                         std::string_view chunk, bool is_end) mutable {
      bytes += chunk.size();
      if (is_end) {
        response->cork([=] { answer(response, is_last, "text/plain", std::to_string(bytes)); });
      }
    });
  });
}

struct Member {
  std::string room;  // empty: echo
};
using WebSocket = uWS::WebSocket<false, true, Member>;

constexpr unsigned kMessageBytesMax = 1024 * 1024;

/// Rooms are topics of this thread's application: with several threads each has its own.
void add_web_sockets(uWS::App& app) {
  uWS::App::WebSocketBehavior<Member> echo;
  echo.maxPayloadLength = kMessageBytesMax;
  echo.message = [](WebSocket* socket, std::string_view message, uWS::OpCode code) {
    socket->send(message, code);
  };
  app.ws<Member>("/ws", std::move(echo));
  uWS::App::WebSocketBehavior<Member> room;
  room.maxPayloadLength = kMessageBytesMax;
  room.upgrade = [](Response* response, Request* request, us_socket_context_t* context) {
    response->upgrade<Member>({std::string(request->getParameter(0))},
                              request->getHeader("sec-websocket-key"),
                              request->getHeader("sec-websocket-protocol"),
                              request->getHeader("sec-websocket-extensions"), context);
  };
  room.open = [](WebSocket* socket) { socket->subscribe(socket->getUserData()->room); };
  room.message = [&app](WebSocket* socket, std::string_view message, uWS::OpCode code) {
    app.publish(socket->getUserData()->room, message, code);
  };
  app.ws<Member>("/ws/room/:name", std::move(room));
}

using Stop = std::function<void()>;

/// Runs one application on this thread; tells through `started` how to end it from another.
void serve(const Options& options, std::promise<Stop>& started) {
  uWS::App app;
  add_plain_routes(app, options);
  add_slow_routes(app, options);
  add_typed_routes(app, options);
  add_items(app, options);
  add_upload(app);
  add_web_sockets(app);
  app.listen("0.0.0.0", options.port, [&options](us_listen_socket_t* socket) {
    if (socket == nullptr) {
      std::fprintf(stderr, "cannot listen on port %d: choose another\n", options.port);
      std::_Exit(1);
    }
  });
  uWS::Loop* loop = uWS::Loop::get();
  started.set_value([loop, &app] { loop->defer([&app] { app.close(); }); });
  app.run();
}

}  // namespace

int main(int argc, char** argv) {
  const Options options = arena::read_options(argc, argv);
  arena::block_stop_signals();
  std::vector<std::promise<Stop>> started(static_cast<std::size_t>(options.threads));
  std::vector<std::thread> threads;
  std::vector<Stop> stops;
  for (auto& one : started) {
    threads.emplace_back([&options, &one] { serve(options, one); });
    stops.push_back(one.get_future().get());
  }
  arena::wait_for_stop();
  for (const Stop& stop : stops) {
    stop();
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
}
