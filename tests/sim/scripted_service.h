// A service for tests of the server: the path determines the response.
// Layering: must not be used in tests of the real application.
#pragma once

#include <atomic>
#include <charconv>
#include <cstddef>
#include <semaphore>
#include <string>
#include <string_view>

#include "eider/io/runtime/blocking.h"
#include "eider/io/runtime/sleep.h"
#include "eider/server/service.h"
#include "eider/testkit/loop_sim.h"

namespace eider {

/// /plain                 "hello"
/// /echo                  the body
/// /big?N /big-view?N     N bytes, owned or not
/// /status?N              status N, with a body that some statuses do not allow
/// /close                 "bye", then closes the connection
/// /who                   "", and records the peer's address
/// /stall                 "released" once `may_go` is released; blocks the whole loop until then
/// /busy?US               "done" after the (simulated) loop has computed for US µs
/// /vital                 as /plain, but exempt from load shedding
/// /wait?MS               "waited" after MS ms; `/wait-echo?MS` sends target and body instead
/// /wait-on?MS            as /wait, and continues if its client disconnects
/// /wait-busy?US          waits 1 ms, computes as /busy, then "waited"
/// /wait-now              may wait according to its plan, but responds without waiting
/// /wait-throw            a task that throws
/// /block                 "blocked", from a thread of the pool; continues without its client
/// /hold                  the same, once `may_go` is released
/// anything else          404
class ScriptedService final : public RequestService {
 public:
  static constexpr std::size_t kBodyBytesMax = 256UL * 1024;

  RequestPlan plan(Request& request) noexcept override {
    ++planned;
    request.path_values().push(request.path().substr(1));
    const bool outlives =
        request.path() == "/block" || request.path() == "/hold" || request.path() == "/wait-on";
    return {.endpoint = this,
            .body_bytes_max = kBodyBytesMax,
            .waits = outlives || request.path().starts_with("/wait"),
            .outlives_client = outlives,
            .exempt_from_load_shedding = request.path() == "/vital"};
  }

  void respond(const RequestPlan& plan, Request& request, Response& response) noexcept override {
    ++answered;
    ensure(plan.endpoint == this, "the plan comes back as it was");
    const std::string_view path = request.path();
    response.set_static_type(kTextPlain);
    if (path == "/plain" || path == "/vital") {
      response.set_static_body("hello");
    } else if (path == "/echo") {
      response.set_static_body(request.body());
    } else if (path == "/big") {
      response.set_body(std::string(number(request), 'b'));
    } else if (path == "/big-view") {
      response.set_static_body(std::string_view(big).substr(0, number(request)));
    } else if (path == "/status") {
      response.set_status(static_cast<int>(number(request))).set_static_body("content");
    } else if (path == "/who") {
      seen_address = request.remote_address();
    } else if (path == "/stall") {
      may_go.acquire();
      response.set_static_body("released");
    } else if (path == "/busy") {
      compute(request);
      response.set_static_body("done");
    } else if (path == "/close") {
      response.set_static_body("bye").close_connection();
    } else {
      response.set_status(404).set_static_body("nothing");
    }
  }

  Task<> respond_later(const RequestPlan& plan, Request& request, Response& response,
                       const Ongoing& ongoing) override {
    ensure(plan.waits, "only what waits is answered later");
    const Running here(*this);
    if (request.path() == "/wait-throw") {
      throw std::string("not for the client");
    }
    if (request.path() == "/hold") {
      co_await run_blocking([this] { may_go.acquire(); });
      response.set_static_body("released");
    } else if (request.path() == "/block") {
      const std::string text = co_await run_blocking([this, &request] { return block(request); });
      response.set_body(text);
    } else if (request.path() == "/wait-busy") {
      co_await sleep_for(std::chrono::milliseconds(1));
      compute(request);
      response.set_static_body("waited");
    } else {
      if (request.path() != "/wait-now") {
        co_await sleep_for(std::chrono::milliseconds(number(request)));
      }
      response.set_body(text_after_waiting(request));
    }
    was_cancelled_at_end = ongoing.cancel.is_cancelled();
    here.finish();
  }

  void respond_failed(const Request& /*request*/, Response* response,
                      std::exception_ptr /*thrown*/) noexcept override {
    ++failed;
    if (response != nullptr) {
      response->set_status(500).set_static_type(kTextPlain).set_static_body("failed");
    }
  }

  void refuse(int status, std::string_view detail, Response& response) noexcept override {
    ++refused;
    response.set_status(status).set_static_type(kTextPlain).set_static_body(detail);
  }

  std::atomic<int> planned = 0;
  std::atomic<int> answered = 0;
  std::atomic<int> refused = 0;
  std::atomic<int> failed = 0;
  std::atomic<int> running = 0;
  std::atomic<int> finished = 0;
  std::atomic<int> cancelled = 0;
  std::atomic<bool> was_cancelled_at_end = false;
  std::binary_semaphore may_go{0};
  std::string seen_address;
  std::string big = std::string(8UL * 1024 * 1024, 'v');

 private:
  class Running {
   public:
    explicit Running(ScriptedService& service) : service_(service) { ++service_.running; }
    ~Running() {
      --service_.running;
      is_finished_ ? ++service_.finished : ++service_.cancelled;
    }
    Running(const Running&) = delete;
    Running& operator=(const Running&) = delete;
    void finish() const { is_finished_ = true; }

   private:
    ScriptedService& service_;
    mutable bool is_finished_ = false;
  };

  static std::size_t number(const Request& request) noexcept {
    std::size_t value = 0;
    const std::string_view text = request.query();
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
  }

  static void compute(const Request& request) {
    static_cast<SimLoop&>(Loop::current())
        .kernel()
        .compute(std::chrono::microseconds(number(request)));
  }

  static std::string text_after_waiting(const Request& request) {
    if (request.path() != "/wait-echo") {
      return "waited";
    }
    std::string text(request.target());
    text.append(" ").append(request.path_values()[0]);
    text.append(" ").append(request.header("Host").value_or("?"));
    text.append(" ").append(request.body());
    return text;
  }

  std::string block(const Request& request) {
    seen_address = request.remote_address();
    return "blocked " + std::string(request.body());
  }
};

}  // namespace eider
