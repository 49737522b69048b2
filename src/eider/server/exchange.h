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

/// How a request is answered, by its plan and its head.
enum class Handling : std::uint8_t {
  /// By RequestService::answer, of what is there.
  at_once,
  /// By kBodyTooLarge, before any of its content is read.
  too_large,
  /// By an Exchange.
  by_exchange,
};

/// is_content_here  all of it has come, or none will
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

/// A response to an extended CONNECT that is no protocol: any 2xx would tell the client that its
/// own is spoken now (RFC 8441, section 5).
[[nodiscard]] inline bool opens_nothing(const RequestHead& head,
                                        const Response& response) noexcept {
  constexpr int kRedirection = 300;
  return head.opens_websocket && response.status() < kRedirection &&
         content_as<Upgrade>(response) == nullptr;
}

/// Fills the response to a request that is refused; hooks see it.
void refuse_request(RequestService& service, const RequestRefusal& refusal, const RequestPlan& plan,
                    Request& request, Response& response) noexcept;

/// Whose handler a loop's thread is in, for those who look from outside while it stands still.
class RunningPlan {
 public:
  /// From any thread. Null: none that was called for a request; see RequestPlan::endpoint.
  [[nodiscard]] const void* endpoint() const noexcept {
    return endpoint_.load(std::memory_order_relaxed);
  }

  /// Until the end of this.
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

/// What all exchanges of a loop share. All of it outlives them.
struct ExchangeContext {
  Loop& loop;
  RequestService& service;
  const LoopLimits& limits;
  RunningPlan& running;
  LoopNumbers& numbers;
  const bool& is_draining;
  Duration slow_after;  // see RequestService
};

/// The plan as it is kept to: what decides ahead of content begins before that has come.
[[nodiscard]] inline RequestPlan carried_out(const RequestPlan& plan,
                                             bool is_content_here) noexcept {
  return plan.decides_first && !is_content_here ? plan.ahead_of_content() : plan;
}

class Exchanges;

class Exchange final : private TaskOwner, private Deferred, private Peer, private ProductionOwner {
 public:
  /// budget  of the bodies of all; outlives it
  Exchange(const ExchangeContext& context, BodyBudget& budget) noexcept
      : context_(context), content_(context, budget) {}

  /// Copies the head and the path values, and takes the extensions.
  ///
  /// transport  outlives the exchange's use by it: see Exchanges::give_back
  void open(Request& from, const RequestPlan& plan, Transport& transport);

  /// The request's content, to be brought without its framing.
  [[nodiscard]] RequestContent& content() noexcept { return content_; }
  [[nodiscard]] const RequestContent& content() const noexcept { return content_; }
  /// returns  whether `serve` is to be called now: see RequestContent::begin
  [[nodiscard]] bool begin_content(bool has_begun) {
    return content_.begin(plan_, request_.head(), *transport_, has_begun);
  }

  /// Has the request answered: now, or when the handler is done. What is answered now may have
  /// given the exchange back when this returns.
  void serve();
  /// Goes on with a response to this request that `serve` has not made.
  void respond_by(Response response);
  /// The same by a refusal: what was to be sent cannot be.
  void refuse_by(const RequestRefusal& refusal);
  /// The client takes more of what is produced.
  void go_on() noexcept;
  /// The server stops: what has no end of its own ends now.
  void stop_endless();

  /// Nothing but the handler is waited for.
  [[nodiscard]] bool is_waiting() const noexcept { return stage_ == Stage::waiting; }
  [[nodiscard]] bool is_producing() const noexcept { return stage_ == Stage::producing; }
  /// The head of a produced answer has left.
  [[nodiscard]] bool has_begun() const noexcept {
    return production_ != nullptr && production_->has_begun();
  }
  /// Content is produced that ends when the client leaves, or the server stops.
  [[nodiscard]] bool is_live() const noexcept {
    return is_producing() && production_->content().is_live();
  }
  /// The client is slow to take what is produced.
  [[nodiscard]] bool is_held_up() const noexcept {
    return is_producing() && production_->is_held_up();
  }
  /// When the request's head was there.
  [[nodiscard]] Instant began() const noexcept { return began_; }
  /// Content of the response that was produced.
  [[nodiscard]] std::uint64_t bytes_out() const noexcept {
    return production_ == nullptr ? 0 : production_->content_bytes();
  }

  [[nodiscard]] const RequestPlan& plan() const noexcept { return plan_; }
  [[nodiscard]] Request& request() noexcept { return request_; }
  /// The handler's task goes on.
  [[nodiscard]] bool is_running() const noexcept { return !task_.is_empty() && !task_.is_done(); }
  [[nodiscard]] const RequestHead& head() const noexcept { return request_.head(); }
  [[nodiscard]] Response& response() noexcept { return response_; }

  /// What it is at, and what it waits for.
  [[nodiscard]] RequestState state(Instant now) const;

 private:
  friend class Exchanges;

  enum class Stage : std::uint8_t {
    idle,       // not served yet, or answered
    waiting,    // the handler's task runs; content that it reads may still arrive
    producing,  // the content of the response is being made
  };

  /// Destroys the task, which cancels it, and forgets the request. Small memory is kept.
  void reset() noexcept;

  // Of the task and the producer.
  void on_task_done() noexcept override { context_.loop.defer(*this); }
  void run() override;
  void finish_head() noexcept override { context_.service.finish(plan_, request_, response_); }
  void send_head(std::optional<std::uint64_t> length, Follows follows) override;
  void on_produced() override;
  // Of the request's peer.
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
  void fail_production();

  const ExchangeContext& context_;
  Transport* transport_ = nullptr;  // null: the client has left
  Exchanges* orphanage_ = nullptr;  // then this is told of the end
  Stage stage_ = Stage::idle;
  RequestPlan plan_;
  Request request_;
  Response response_;
  Instant began_;
  RequestContent content_;
  std::string address_;  // where the request outlives its client
  std::optional<TlsInfo> tls_;
  CancelSource cancel_source_;
  Ongoing ongoing_;
  // Exchanges' own.
  std::size_t index_ = 0;
  Duration slow_after_;  // of what is told next
  // Last, so that they are destroyed before what they use.
  Task<> task_;
  std::unique_ptr<Production> production_;
};

/// All exchanges of one loop: spare ones for reuse, and those whose client has left while a
/// blocking thread still uses them. Those that take long are told to the service.
class Exchanges final : private Timer {
 public:
  Exchanges(const ExchangeContext& context, std::size_t count_max,
            std::size_t bodies_bytes_max) noexcept
      : context_(context), count_max_(count_max), budget_(bodies_bytes_max) {}

  /// For what comes from now on.
  void set_max(std::size_t count_max, std::size_t bodies_bytes_max) noexcept {
    count_max_ = count_max;
    budget_.set_max(bodies_bytes_max);
  }

  /// Null when as many as may be are in use.
  [[nodiscard]] std::unique_ptr<Exchange> take();
  /// Ends it: its transport is not called any more. A task that has to outlive its client is told
  /// by its Cancel and kept until its end.
  void give_back(std::unique_ptr<Exchange> exchange);

  [[nodiscard]] std::size_t in_use() const noexcept { return in_use_.size(); }
  /// The oldest of those in use, as many as that at most, the oldest first.
  [[nodiscard]] std::vector<RequestState> state(std::size_t count_max) const;
  /// Gives back the memory of those that are kept for reuse.
  void release_spare() noexcept { spare_.clear(); }

 private:
  friend class Exchange;

  /// Looks for those that take long, while any is in use.
  void expire() override;
  void arm_look() noexcept;
  [[nodiscard]] bool tell_if_slow(Exchange& exchange);
  void on_orphan_done(Exchange& exchange);
  void keep(std::unique_ptr<Exchange> exchange) noexcept;

  const ExchangeContext context_;
  std::size_t count_max_;
  std::vector<Exchange*> in_use_;  // in no order
  BodyBudget budget_;              // ahead of the exchanges, which give back to it
  std::vector<std::unique_ptr<Exchange>> spare_;
  std::vector<std::unique_ptr<Exchange>> orphans_;
};

}  // namespace eider::detail::server
