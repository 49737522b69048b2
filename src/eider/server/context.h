// The state that all connections of one event loop share: reader, request, response, date.
// Layering: must not be shared between loops.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_set>
#include <vector>

#include "eider/io/runtime/loop.h"
#include "eider/io/runtime/output_budget.h"
#include "eider/protocols/http/h1/head_reader.h"
#include "eider/protocols/http/h1/writer.h"
#include "eider/protocols/http/request.h"
#include "eider/protocols/http/response.h"
#include "eider/server/body.h"
#include "eider/server/connection_protocol.h"
#include "eider/server/exchange.h"
#include "eider/server/loop_limits.h"
#include "eider/server/loop_numbers.h"
#include "eider/server/overload.h"
#include "eider/server/service.h"
#include "eider/server/stream_h1.h"

namespace eider {

namespace detail::server {

class Connections;
class PerAddress;

/// When the server stops: time for a client that has sent no request yet or just got a response.
inline constexpr Duration kTimeToAsk = std::chrono::seconds(1);

/// See LoopContext::linger.
inline constexpr Duration kLingerWhileDraining = std::chrono::seconds(1);

struct LoopContext {
  /// its_limits  limits as for LoopLimits
  LoopContext(Loop& its_loop, RequestService& its_service, const Limits& its_limits)
      : loop(its_loop),
        service(its_service),
        limits(its_limits),
        head_limits(head_limits_of(its_limits)),
        is_observed(its_service.is_observed()),
        exchanges({its_loop, its_service, limits, running, *numbers, is_draining, is_waited_for,
                   its_service.slow_after(Duration::zero())},
                  its_limits.in_flight_max, its_limits.bodies_bytes_max),
        overload(its_loop, requests, its_limits.queue_time) {
    take_budgets(its_limits);
  }

  /// Sets new limits, for new connections and requests.
  void take(const Limits& others) noexcept;
  void take_budgets(const Limits& others) noexcept;
  [[nodiscard]] static h1::HeadLimits head_limits_of(const Limits& limits) noexcept {
    return {.head_bytes_max = limits.head_bytes_max,
            .target_bytes_max = limits.target_bytes_max,
            .headers_max = limits.headers_max};
  }

  /// Returns how long to wait for a client to close its side after its last response. The kernel
  /// has all data by then, so a server that stops waits only for a short time.
  [[nodiscard]] Duration linger() const noexcept {
    return is_draining ? std::min(limits.linger, kLingerWhileDraining) : limits.linger;
  }

  /// Returns the time for request headers, from their first byte; while the server stops, from the
  /// last one.
  [[nodiscard]] Duration head_time() const noexcept {
    return is_waited_for ? std::min(limits.head, kSilenceWhileStopping) : limits.head;
  }

  /// Returns whether the request must wait until the output budget has room, because its handler is
  /// likely to return a large response that waits for its client.
  [[nodiscard]] bool needs_room(const RequestPlan& plan, Method method) const noexcept {
    return method != Method::head && large_endpoints.contains(plan.endpoint);
  }

  void count_request() noexcept { base::add_alone(requests, std::uint64_t{1}); }

  /// For HTTP/1.1.
  [[nodiscard]] std::unique_ptr<StreamH1> take_stream();
  void give_back(std::unique_ptr<StreamH1> stream) noexcept;

  Loop& loop;
  RequestService& service;
  runtime::OutputBudget& output = runtime::output_budget_of(loop);
  LoopLimits limits;
  h1::HeadLimits head_limits;
  Request request;  // of requests with an immediate response
  h1::HeadReader reader{request.head()};
  Response response;  // the same
  const bool is_observed;
  h1::HeadStart start;
  RunningPlan running;
  const std::shared_ptr<LoopNumbers> numbers = std::make_shared<LoopNumbers>();
  Exchanges exchanges;
  std::size_t handshakes = 0;          // in progress
  Connections* connections = nullptr;  // set by itself
  PerAddress* per_address = nullptr;   // set by Worker; may be null
  /// Takes over connections that select another protocol; null unless the application enables one.
  std::unique_ptr<ProtocolFactory> protocol;
  std::vector<std::unique_ptr<StreamH1>> spare_streams;
  /// The endpoints (RequestPlan::endpoint) for which a large response in memory had to wait for its
  /// client.
  std::unordered_set<const void*> large_endpoints;
  std::atomic<std::uint64_t> requests{0};
  /// If set, every response closes its connection.
  bool is_draining = false;
  /// The server stops, and something waits for its end: silent clients get little time.
  bool is_waited_for = false;
  /// If not zero, the server drains because another process has taken over: long-lived clients are
  /// instructed to reconnect after a pause of up to this time, so that they do not all reconnect at
  /// once.
  Duration come_back_within = Duration::zero();
  /// The number of clients that were given such a pause.
  std::uint32_t told_to_come_back = 0;
  Overload overload;

  /// Returns the pause of the next client: evenly distributed for any number of clients.
  [[nodiscard]] Duration next_pause() noexcept;
};

}  // namespace detail::server
}  // namespace eider
