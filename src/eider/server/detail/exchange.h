// One request that has to wait, for its content or for its answer, with copies of all it needs.
// Must not know connections: its owner does, and may change while a task runs.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "eider/base/arena.h"
#include "eider/http/request.h"
#include "eider/http/response.h"
#include "eider/runtime/cancel.h"
#include "eider/runtime/deferred.h"
#include "eider/runtime/loop.h"
#include "eider/runtime/task.h"
#include "eider/server/detail/body.h"
#include "eider/server/detail/exchange_owner.h"
#include "eider/server/detail/inbox.h"
#include "eider/server/detail/production.h"
#include "eider/server/service.h"

namespace eider::detail {

class Exchange final : private TaskOwner, private Deferred, private Peer {
 public:
  explicit Exchange(Loop& loop) noexcept : loop_(loop) {}

  /// Copies the head and the path values; the content comes later.
  ///
  /// peer  asked now for requests that outlive their client, else kept
  void copy(const Request& from, const Plan& plan, Peer& peer);

  [[nodiscard]] BodyH1& body() noexcept { return body_; }
  [[nodiscard]] const BodyH1& body() const noexcept { return body_; }
  /// For content that the handler reads itself.
  [[nodiscard]] Inbox& inbox() noexcept { return inbox_; }
  [[nodiscard]] const Inbox& inbox() const noexcept { return inbox_; }
  /// The content is what `body` has gathered.
  void use_gathered_body() noexcept { request_.set_body(body_.view()); }
  /// The content is a copy of these bytes.
  void copy_body(std::string_view bytes) { request_.set_body(arena_.copy(bytes)); }

  /// Starts the waiting answer. Pre: the request is complete.
  ///
  /// owner    is told of the end, unless it is there already
  /// returns  whether the response is complete
  bool begin(Service& service, ExchangeOwner& owner);
  /// Tells another owner of the end, from now on.
  void change_owner(ExchangeOwner& owner) noexcept { owner_ = &owner; }
  /// Takes the response's content, to be started by `production()->start()`. Pre: it is a
  /// ProducedContent.
  void produce(ContentOwner& owner);
  /// Null unless content is produced.
  [[nodiscard]] Production* production() noexcept { return production_.get(); }
  /// The service's word on what the producer threw: see Service::answer_failed.
  void answer_failed(Service& service) noexcept;

  void cancel() noexcept { cancel_source_.cancel(); }
  [[nodiscard]] bool is_running() const noexcept { return !task_.is_empty() && !task_.is_done(); }

  [[nodiscard]] const Plan& plan() const noexcept { return plan_; }
  [[nodiscard]] Request& request() noexcept { return request_; }
  [[nodiscard]] Response& response() noexcept { return response_; }

  /// Destroys the task, which cancels it, and forgets the request. Small memory is kept.
  void reset() noexcept;

 private:
  void on_task_done() noexcept override { loop_.defer(*this); }
  void run() override;
  [[nodiscard]] std::string address() const override { return address_; }
  [[nodiscard]] std::optional<SecuredBy> secured_by() const override { return secured_by_; }
  void fail_on_throw() noexcept;

  Loop& loop_;
  Service* service_ = nullptr;
  ExchangeOwner* owner_ = nullptr;
  Plan plan_;
  Request request_;
  Response response_;
  Arena arena_;
  BodyH1 body_;
  Inbox inbox_{body_};
  std::string address_;
  std::optional<SecuredBy> secured_by_;
  CancelSource cancel_source_;
  Ongoing ongoing_;
  // Last, so that they are destroyed before what they use.
  Task<> task_;
  std::unique_ptr<Production> production_;
};

/// All exchanges of one loop: spare ones for reuse, and those whose client has left while a
/// blocking thread still uses them.
class Exchanges final : private ExchangeOwner {
 public:
  Exchanges(Loop& loop, std::size_t count_max) noexcept : loop_(loop), count_max_(count_max) {}

  /// Null when as many as may be are in use.
  [[nodiscard]] std::unique_ptr<Exchange> take();
  /// Ends it. A task that has to outlive its client is told by its Cancel and kept until its end.
  void give_back(std::unique_ptr<Exchange> exchange);

  [[nodiscard]] std::size_t in_use() const noexcept { return in_use_; }
  /// Gives back the memory of those that are kept for reuse.
  void release_spare() noexcept { spare_.clear(); }

 private:
  void on_answered(Exchange& exchange) override;
  /// Whoever asks has left.
  [[nodiscard]] std::string address() const override { return {}; }
  void keep(std::unique_ptr<Exchange> exchange) noexcept;

  Loop& loop_;
  std::size_t count_max_;
  std::size_t in_use_ = 0;
  std::vector<std::unique_ptr<Exchange>> spare_;
  std::vector<std::unique_ptr<Exchange>> orphans_;
};

}  // namespace eider::detail
