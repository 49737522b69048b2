// The arena's endpoints on RESTinio: its easy_parser router, its chain of handlers, asio's timers.
//
//   restinio_app PORT THREADS DELAY_MS [--routes N] [--middlewares M]
#include <memory>
#include <restinio/all.hpp>
#include <restinio/router/easy_parser_router.hpp>
#include <restinio/sync_chain/growable_size.hpp>
#include <thread>

#include "../common/adapter.h"
#include "../common/adapter_json.h"

namespace {

namespace epr = restinio::router::easy_parser_router;
using arena::Options;
using restinio::http_field;
using restinio::request_handle_t;
using Chain = restinio::sync_chain::growable_size_chain_t<>;
using Io = restinio::asio_ns::io_context;
using Router = restinio::router::easy_parser_router_t;

struct Traits : restinio::default_traits_t {
  using request_handler_t = Chain;
};

/// Without strands: for an io_context that one thread runs.
struct SingleThreadTraits : restinio::default_single_thread_traits_t {
  using request_handler_t = Chain;
};

template <typename Body>
auto answer(const request_handle_t& request, const char* type, Body body) {
  return request->create_response()
      .append_header(http_field::content_type, type)
      .set_body(std::move(body))
      .done();
}

auto answer_post(const request_handle_t& request) {
  auto reply = arena::reply_to(request->body());
  if (!reply) {
    return request->create_response(restinio::status_bad_request())
        .set_body("the body must be a JSON object")
        .done();
  }
  return answer(request, "application/json", std::move(*reply));
}

void add_constant(Router& router, const char* path, const char* type, const char* body) {
  router.http_get(epr::path_to_params(std::string(path)),
                  [type, body](const request_handle_t& request) {
                    return answer(request, type, restinio::const_buffer(body));
                  });
}

void add_bytes(Router& router, int size) {
  const auto body = std::make_shared<std::string>(arena::filled(size));
  router.http_get(
      epr::path_to_params("/bytes/" + std::to_string(size)),
      [body](const request_handle_t& request) { return answer(request, arena::kOctets, body); });
}

void add_plain_routes(Router& router) {
  for (const char* path : {"/plaintext", "/simple", "/bench"}) {
    add_constant(router, path, "text/plain", arena::kHello);
  }
  router.http_get(epr::path_to_params("/json"), [](const request_handle_t& request) {
    return answer(request, "application/json", arena::hello_json());
  });
  add_constant(router, "/html", "text/html", arena::kHtml);
  add_constant(router, "/test/status", "text/plain", "OK");
  router.http_get(epr::path_to_params("/test/labels/", epr::path_fragment_p()),
                  [](const request_handle_t& request, const std::string& label) {
                    return answer(request, "text/plain", label);
                  });
  for (const int size : arena::kSizes) {
    add_bytes(router, size);
  }
}

void add_slow_routes(Router& router, Io& io, std::chrono::milliseconds delay) {
  router.http_post(epr::path_to_params("/test"), [&io, delay](const request_handle_t& request) {
    if (delay.count() == 0) {
      return answer_post(request);
    }
    auto timer = std::make_shared<restinio::asio_ns::steady_timer>(io, delay);
    timer->async_wait([request, timer](const auto&) { answer_post(request); });
    return restinio::request_accepted();
  });
  router.http_post(epr::path_to_params("/test/blocking"), [delay](const request_handle_t& request) {
    std::this_thread::sleep_for(delay);
    return answer_post(request);
  });
}

void add_areas(Router& router, int first, int last) {
  for (int i = first; i < last; ++i) {
    const std::string n = std::to_string(i);
    router.http_get(
        epr::path_to_params("/area" + n + "/", epr::non_negative_decimal_number_p<int>(),
                            "/item" + n + "/", epr::non_negative_decimal_number_p<int>()),
        [](const request_handle_t& request, int id, int item) {
          return answer(request, "text/plain", std::to_string(id + item));
        });
  }
}

/// The router tries routes in order: the measured one stands in the middle of its company.
void add_typed_routes(Router& router, int company) {
  add_areas(router, 0, company / 2);
  router.http_get(epr::path_to_params("/users/", epr::non_negative_decimal_number_p<int>(),
                                      "/posts/", epr::non_negative_decimal_number_p<int>()),
                  [](const request_handle_t& request, int id, int post) {
                    return answer(request, "text/plain", arena::post_text(id, post));
                  });
  add_areas(router, company / 2, company);
}

std::unique_ptr<Chain> make_chain(const Options& options, Io& io) {
  auto router = std::make_unique<Router>();
  add_plain_routes(*router);
  add_slow_routes(*router, io, options.delay);
  add_typed_routes(*router, options.routes);
  Chain::builder_t chain;
  for (int i = 0; i < options.middlewares; ++i) {
    chain.add([](const request_handle_t& request) {
      static_cast<void>(request->header().path().size());
      return restinio::request_not_handled();
    });
  }
  chain.add([router = std::shared_ptr<Router>(std::move(router))](const request_handle_t& request) {
    return (*router)(request);
  });
  return chain.release();
}

template <typename ServerTraits>
void serve(const Options& options) {
  constexpr auto kIdle = std::chrono::minutes(10);
  Io io;
  using Server = restinio::http_server_t<ServerTraits>;
  Server server(restinio::external_io_context(io),
                restinio::server_settings_t<ServerTraits>{}
                    .address("0.0.0.0")
                    .port(static_cast<std::uint16_t>(options.port))
                    .request_handler(make_chain(options, io))
                    .socket_options_setter([](auto& socket) {
                      socket.set_option(restinio::asio_ns::ip::tcp::no_delay(true));
                    })
                    .max_pipelined_requests(16)
                    .concurrent_accepts_count(static_cast<std::size_t>(options.threads))
                    .read_next_http_message_timelimit(kIdle)
                    .handle_request_timeout(kIdle));
  restinio::on_pool_runner_t<Server> runner(static_cast<std::size_t>(options.threads), server);
  runner.start();
  arena::wait_for_stop();
  runner.stop();
  runner.wait();
}

}  // namespace

int main(int argc, char** argv) {
  const Options options = arena::read_options(argc, argv);
  arena::block_stop_signals();
  options.threads == 1 ? serve<SingleThreadTraits>(options) : serve<Traits>(options);
}
