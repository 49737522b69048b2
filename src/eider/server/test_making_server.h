// A server whose responses are created in memory, for slow clients, and clients that read only part
// of a response.
// Layering: must not be used outside of tests.
#pragma once

#include <exception>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "eider/io/runtime/output_budget.h"
#include "eider/io/runtime/task.h"
#include "eider/server/service.h"
#include "tests/sim/sim_server.h"

namespace eider::detail::server::test {

constexpr std::size_t kBodyBytes = 100'000;
constexpr std::size_t kBudgetBytes = 1'000'000;
constexpr std::size_t kWindow = 1000;

/// Each response is created for its request: /string moves it, /shared is the only owner, /view is
/// copied by the server; /large is larger than the budget, /small has its own endpoint.
class MakingService final : public RequestService {
 public:
  RequestPlan plan(Request& request) noexcept override {
    const void* const small = &view;
    const std::string_view path = request.path();
    return {.endpoint = path == "/small" ? small : this,
            .body_bytes_max = 1000,
            .waits = path == "/later"};
  }
  void respond(const RequestPlan& /*plan*/, Request& request,
               Response& response) noexcept override {
    const std::string_view path = request.path();
    response.set_static_type(kTextPlain);
    made += path == "/small" ? 0 : 1;
    if (path == "/small") {
      response.set_static_body("small");
    } else if (path == "/shared") {
      response.set_shared_body(std::make_shared<const std::string>(kBodyBytes, 'm'));
    } else if (path == "/view") {
      view.assign(kBodyBytes, 'm');
      response.set_static_body(view);
    } else {
      response.set_body(std::string(path == "/large" ? 3 * kBudgetBytes : kBodyBytes, 'm'));
    }
  }
  Task<> respond_later(const RequestPlan& plan, Request& request, Response& response,
                       const Ongoing& /*ongoing*/) override {
    respond(plan, request, response);
    co_return;
  }
  void respond_failed(const Request& /*request*/, Response* /*response*/,
                      std::exception_ptr /*thrown*/) noexcept override {}
  void refuse(int status, std::string_view detail, Response& response) noexcept override {
    response.set_status(status).set_static_body(detail);
  }

  std::string view;
  int made = 0;  // number of large responses
};

class MakingServer : public SimServerOf<MakingService> {
 public:
  using SimServerOf::SimServerOf;

  /// Returns a client that has read `kWindow` bytes of its response, and stops reading.
  [[nodiscard]] SimClient begin(std::string_view path) {
    SimClient client = connect();
    client.set_window(kWindow);
    client.send(std::string("GET ").append(path).append(" HTTP/1.1\r\nHost: a\r\n\r\n"));
    kernel.run_until_idle();
    return client;
  }
  [[nodiscard]] std::vector<SimClient> begin(std::string_view path, int count) {
    std::vector<SimClient> clients;
    for (int index = 0; index < count; ++index) {
      clients.push_back(begin(path));
    }
    return clients;
  }
  [[nodiscard]] std::size_t held() { return runtime::output_budget_of(loop()).held(); }
};

inline int resets_of(const std::vector<SimClient>& clients) {
  int count = 0;
  for (const SimClient& client : clients) {
    count += client.is_reset() ? 1 : 0;
  }
  return count;
}

}  // namespace eider::detail::server::test
