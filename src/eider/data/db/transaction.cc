#include "eider/data/db/transaction.h"

#include <chrono>

#include "eider/io/runtime/backoff.h"

namespace eider::db::detail {
namespace {

using namespace std::chrono_literals;

class SavepointJob final : public Job {
 public:
  explicit SavepointJob(std::string sql) noexcept : sql_(std::move(sql)) {}
  void take() const { rethrow(); }
  [[nodiscard]] Request start() noexcept override { return {Request::What::savepoint, sql_}; }

 private:
  std::string sql_;
};

}  // namespace

bool may_be_tried_again(FailureKind kind) noexcept {
  return kind == FailureKind::serialization || kind == FailureKind::deadlock;
}

Duration pause_behind_try(unsigned tries) {
  return eider::detail::runtime::with_jitter(
      eider::detail::runtime::pause_behind(tries, 10ms, 500ms));
}

Savepoint::Savepoint(Route route)
    : route_(std::move(route)),
      name_("eider_" + std::to_string(route_.transaction()->next_number())) {}

Savepoint::~Savepoint() {
  if (!is_over_) {
    route_.leave();
  }
}

Task<> Savepoint::say(std::string_view what) {
  std::string sql(what);
  sql += " " + name_;
  Pending<SavepointJob> said(route_, Lane::writing, std::make_unique<SavepointJob>(std::move(sql)));
  co_await said;
}

Task<> Savepoint::release() {
  co_await say("release savepoint");
  is_over_ = true;
}

Task<> Savepoint::roll_back() {
  try {
    co_await say("rollback to savepoint");
    co_await release();
  } catch (const Failure&) {
    // The savepoint ended with its transaction, which the destructor ends in any case.
  }
}

Request EndJob::start() noexcept {
  // In either case, the connection is free afterwards.
  state_->end();
  return {way_ == Way::commit ? Request::What::commit : Request::What::roll_back};
}

BeginJob::BeginJob(const std::shared_ptr<Pool>& pool, Use use, Isolation isolation) noexcept
    : pool_(pool), state_(std::make_shared<TransactionState>(use)), isolation_(isolation) {}

BeginJob::~BeginJob() {
  if (!is_taken_) {
    state_->leave();  // its pool notices by itself: a thread waits on it, or the next job checks it
  }
}

Transaction BeginJob::take() {
  rethrow();
  is_taken_ = true;
  return Transaction(Route(pool_.lock(), state_));
}

}  // namespace eider::db::detail
