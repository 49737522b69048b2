// An exchange exists until its own functions have returned, or until Transport::settle.
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "eider/server/exchange.h"
#include "eider/testkit/loop_sim.h"
#include "tests/sim/scripted_service.h"

namespace eider::detail::server {
namespace {

/// The calls in which a test gives its exchange back.
enum class GivesBackIn : std::uint8_t { send, settle };

class OneExchange final : private Transport {
 public:
  OneExchange(std::string_view path, GivesBackIn call) : call_(call) {
    Request request;
    request.head().method = Method::get;
    request.head().target = path;
    request.head().path = path;
    exchange_ = exchanges.take();
    exchange_->open(request, service.plan(request), *this);
  }

  void serve() { exchange_->serve(); }
  [[nodiscard]] bool is_given_back() const noexcept { return exchange_ == nullptr; }

  SimKernel kernel;
  SimLoop loop{kernel};
  ScriptedService service;
  LoopLimits limits{Limits()};
  RunningPlan running;
  LoopNumbers numbers;
  const bool is_draining = false;
  Exchanges exchanges{{.loop = loop,
                       .service = service,
                       .limits = limits,
                       .running = running,
                       .numbers = numbers,
                       .is_draining = is_draining,
                       .is_waited_for = is_draining,
                       .slow_after = Duration::max()},
                      1,
                      limits.bodies_bytes_max};

 private:
  void give_back_in(GivesBackIn call) {
    if (call == call_) {
      exchanges.give_back(std::move(exchange_));
    }
  }

  void send(Response&) override { give_back_in(GivesBackIn::send); }
  void settle() override { give_back_in(GivesBackIn::settle); }
  void upgrade(Response&) override {}
  void send_head(const Response&, std::optional<std::uint64_t>, Follows) override {}
  std::size_t put(std::string_view) override { return 0; }
  bool flush() override { return true; }
  [[nodiscard]] bool is_waiting() const noexcept override { return false; }
  void end(std::string_view) override {}
  void cut() override {}
  void on_content_taken() override {}
  [[nodiscard]] bool may_send() const noexcept override { return true; }
  void watch(Instant) noexcept override {}
  [[nodiscard]] std::string address() const override { return {}; }

  const GivesBackIn call_;
  std::unique_ptr<Exchange> exchange_;
};

TEST(ExchangeLifetime, ends_in_settle) {
  OneExchange one("/wait", GivesBackIn::settle);
  one.loop.call([&] { one.serve(); });
  one.kernel.advance(std::chrono::milliseconds(1));
  EXPECT_TRUE(one.is_given_back());
  EXPECT_EQ(one.exchanges.in_use(), 0U);
}

TEST(ExchangeLifetimeDeathTest, does_not_end_in_a_function_of_the_exchange) {
  EXPECT_DEATH(OneExchange("/plain", GivesBackIn::send).serve(), "within its own call");
}

}  // namespace
}  // namespace eider::detail::server
