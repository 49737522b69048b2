// One request that waits for its body or its response, with copies of all it needs.
// Layering: must not know protocols: a transport speaks them.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "eider/io/runtime/cancel.h"
#include "eider/io/runtime/deferred.h"
#include "eider/io/runtime/loop.h"
#include "eider/io/runtime/task.h"
#include "eider/io/runtime/time.h"
#include "eider/io/runtime/timer.h"
#include "eider/protocols/http/refusal.h"
#include "eider/protocols/http/request.h"
#include "eider/protocols/http/response.h"
#include "eider/server/loop_limits.h"
#include "eider/server/loop_numbers.h"
#include "eider/server/production.h"
#include "eider/server/request_content.h"
#include "eider/server/service.h"
#include "eider/server/state.h"
#include "eider/server/transport.h"

namespace eider::detail::server {

/// How a request is handled, chosen by its plan and headers.
enum class Handling : std::uint8_t {
  /// RequestService::respond is called at once.
  at_once,
  /// Rejected with kBodyTooLarge before the body is read.
  too_large,
  /// Handled with an Exchange.
  by_exchange,
};

/// is_content_here  the whole body has arrived, or there is none
[[nodiscard]] inline Handling handling_of(const RequestPlan& plan, const RequestHead& head,
                                          bool is_content_here) noexcept {
  if (plan.ignores_body) {
    return Handling::at_once;
  }
  if (head.body == BodyKind::sized && head.content_length > plan.body_bytes_max) {
    return Handling::too_large;
  }
  return plan.waits || plan.keeps_request || !is_content_here ? Handling::by_exchange
                                                              : Handling::at_once;
}

/// Returns whether the response to an extended CONNECT wrongly has a 2xx status without an Upgrade:
/// the client would take it as acceptance of its protocol (RFC 8441, section 5).
[[nodiscard]] inline bool opens_nothing(const RequestHead& head,
                                        const Response& response) noexcept {
  constexpr int kRedirection = 300;
  return head.opens_websocket && response.status() < kRedirection &&
         content_as<Upgrade>(response) == nullptr;
}

/// Fills the response to a rejected request; middleware sees it.
void refuse_request(RequestService& service, const RequestRefusal& refusal, const RequestPlan& plan,
                    Request& request, Response& response) noexcept;

/// Records which handler runs on a loop's thread, for other threads that report a blocked loop.
class RunningPlan {
 public:
  /// Returns RequestPlan::endpoint; null if no request is being handled. From any thread.
  [[nodiscard]] const void* endpoint() const noexcept {
    return endpoint_.load(std::memory_order_relaxed);
  }

  /// Sets the plan during the lifetime of this object.
  class Now {
   public:
    Now(RunningPlan& running, const RequestPlan& plan) noexcept : running_(running) {
      running_.endpoint_.store(plan.endpoint, std::memory_order_relaxed);
    }
    Now(const Now&) = delete;
    Now& operator=(const Now&) = delete;
    ~Now() { running_.endpoint_.store(nullptr, std::memory_order_relaxed); }

   private:
    RunningPlan& running_;
  };

 private:
  std::atomic<const void*> endpoint_{nullptr};
};

/// Shared by all exchanges of a loop. Everything outlives them.
struct ExchangeContext {
  Loop& loop;
  RequestService& service;
  const LoopLimits& limits;
  RunningPlan& running;
  LoopNumbers& numbers;
  const bool& is_draining;
  const bool& is_waited_for;
  Duration slow_after;  // the first of RequestService::slow_after
};

/// Returns the plan to follow: `decides_first` means to start without the body, if it has not
/// arrived.
[[nodiscard]] inline RequestPlan carried_out(const RequestPlan& plan,
                                             bool is_content_here) noexcept {
  return plan.decides_first && !is_content_here ? plan.ahead_of_content() : plan;
}

class Exchanges;

class Exchange final : private TaskOwner, private Deferred, private Peer {
 public:
  /// budget  shared by all bodies of the loop; must outlive this
  Exchange(const ExchangeContext& context, BodyBudget& budget) noexcept
      : context_(context), content_(context, budget) {}

  /// Copies the headers and path values, and moves the extensions.
  ///
  /// transport  must exist until Exchanges::give_back
  void open(Request& from, const RequestPlan& plan, Transport& transport);

  /// Returns the request body; the transport adds bytes to it without their framing.
  [[nodiscard]] RequestContent& content() noexcept { return content_; }
  [[nodiscard]] const RequestContent& content() const noexcept { return content_; }
  /// returns  whether to call `serve` now: see RequestContent::begin
  [[nodiscard]] bool begin_content(bool has_begun) {
    return content_.begin(plan_, request_.head(), *transport_, has_begun);
  }

  /// Handles the request: now, or when the handler is done.
  void serve();
  /// Continues with a response that `serve` did not make.
  void respond_by(Response response);
  /// Continues with a rejection, because the response cannot be sent.
  void refuse_by(const RequestRefusal& refusal);
  /// Called when the client can receive more of a produced body.
  void go_on() noexcept;
  /// Called when the server stops: ends responses without an end.
  void stop_endless();

  /// Returns whether only the handler is waited for.
  [[nodiscard]] bool is_waiting() const noexcept { return stage_ == Stage::waiting; }
  [[nodiscard]] bool is_producing() const noexcept { return stage_ == Stage::producing; }
  /// Returns whether the headers of a produced response were sent.
  [[nodiscard]] bool has_begun() const noexcept {
    return production_ != nullptr && production_->has_begun();
  }
  /// Returns whether the response is live: it ends when the client disconnects or the server stops.
  [[nodiscard]] bool is_live() const noexcept {
    return is_producing() && production_->content().is_live();
  }
  /// Returns whether production waits for a slow client.
  [[nodiscard]] bool is_held_up() const noexcept {
    return is_producing() && production_->is_held_up();
  }
  /// Returns the time at which the request headers were complete.
  [[nodiscard]] Instant began() const noexcept { return began_; }
  /// Returns the number of bytes produced for the response body.
  [[nodiscard]] std::uint64_t bytes_out() const noexcept {
    return production_ == nullptr ? 0 : production_->content_bytes();
  }

  [[nodiscard]] const RequestPlan& plan() const noexcept { return plan_; }
  [[nodiscard]] Request& request() noexcept { return request_; }
  /// Returns whether the handler's task has started and is not done.
  [[nodiscard]] bool is_running() const noexcept { return !task_.is_empty() && !task_.is_done(); }
  [[nodiscard]] const RequestHead& head() const noexcept { return request_.head(); }
  [[nodiscard]] Response& response() noexcept { return response_; }

  /// Returns the stage of the request and what it waits for.
  [[nodiscard]] RequestState state(Instant now) const;

  // Called by the production.

  /// Lets middleware see the headers before they are sent: see RequestService::finish.
  void finish_head() noexcept { context_.service.finish(plan_, request_, response_); }
  /// Sends the headers: see Transport::send_head.
  void send_head(std::optional<std::uint64_t> length, Follows follows);
  /// The producer has ended. Called on the loop, never from within a call.
  void on_produced();

 private:
  friend class Exchanges;

  /// Marks a running function of the exchange, in which it must not be given back.
  class Call {
   public:
    explicit Call(Exchange& exchange) noexcept : exchange_(exchange) {
      exchange_.is_in_call_ = true;
    }
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;
    ~Call() { exchange_.is_in_call_ = false; }

   private:
    Exchange& exchange_;
  };

  enum class Stage : std::uint8_t {
    idle,       // not handled yet, or complete
    waiting,    // the handler's task runs; the body that it reads may still arrive
    producing,  // the response body is being produced
  };

  /// Destroys the task, which cancels it, and clears the request. Small buffers are kept.
  void reset() noexcept;

  // For the task.
  void on_task_done() noexcept override { context_.loop.defer(*this); }
  void run() override;
  // As the request's peer.
  [[nodiscard]] std::string address() const override;
  [[nodiscard]] std::optional<TlsInfo> tls() const override;
  void inform(int status, std::string_view field_lines) override;

  void follow();
  [[nodiscard]] bool begin_task();
  [[nodiscard]] std::string_view stage_text() const noexcept;
  void fail_on_throw() noexcept;
  void fail() noexcept;
  void deliver();
  void produce();
  void end_production();
  void fail_production();

  const ExchangeContext& context_;
  Transport* transport_ = nullptr;  // null: the client has disconnected
  Exchanges* orphanage_ = nullptr;  // notified of the end in that case
  Stage stage_ = Stage::idle;
  bool is_in_call_ = false;
  RequestPlan plan_;
  Request request_;
  Response response_;
  Instant began_;
  RequestContent content_;
  std::string address_;  // a copy, if the request outlives its client
  std::optional<TlsInfo> tls_;
  CancelSource cancel_source_;
  Ongoing ongoing_;
  // For Exchanges.
  std::size_t index_ = 0;
  Duration slow_after_;  // time of the next slow-request report
  // Last, so that they are destroyed before the members that they use.
  Task<> task_;
  std::unique_ptr<Production> production_;
};

/// All exchanges of one loop: spare ones for reuse, and those whose client has disconnected while a
/// blocking thread still uses them. Reports slow ones to the service.
class Exchanges final : private Timer {
 public:
  Exchanges(const ExchangeContext& context, std::size_t count_max,
            std::size_t bodies_bytes_max) noexcept
      : context_(context), count_max_(count_max), budget_(bodies_bytes_max) {}

  /// Applies to exchanges taken from now on.
  void set_max(std::size_t count_max, std::size_t bodies_bytes_max) noexcept {
    count_max_ = count_max;
    budget_.set_max(bodies_bytes_max);
  }

  /// Returns an exchange; null if the maximum is in use.
  [[nodiscard]] std::unique_ptr<Exchange> take();
  /// Ends the exchange: its transport is not called any more. Not within one of its calls, except
  /// in Transport::settle. A task that must outlive its client
  /// is notified by its Cancel and kept until its end.
  void give_back(std::unique_ptr<Exchange> exchange);

  [[nodiscard]] std::size_t in_use() const noexcept { return in_use_.size(); }
  /// Returns the states of the `count_max` oldest exchanges in use, the oldest first.
  [[nodiscard]] std::vector<RequestState> state(std::size_t count_max) const;
  /// Frees the exchanges that are kept for reuse.
  void release_spare() noexcept { spare_.clear(); }

 private:
  friend class Exchange;

  /// Checks for slow requests, as long as any exchange is in use.
  void expire() override;
  void arm_look() noexcept;
  [[nodiscard]] bool tell_if_slow(Exchange& exchange);
  void on_orphan_done(Exchange& exchange);
  void keep(std::unique_ptr<Exchange> exchange) noexcept;

  const ExchangeContext context_;
  std::size_t count_max_;
  std::vector<Exchange*> in_use_;  // unordered
  BodyBudget budget_;              // before the exchanges, whose destructors use it
  std::vector<std::unique_ptr<Exchange>> spare_;
  std::vector<std::unique_ptr<Exchange>> orphans_;
};

}  // namespace eider::detail::server
