// Sends jobs to the connections of the loop that they come from: for drivers without threads.
// Must not know a driver: its Sessions keep one loop's connections, and what waits for them.
#pragma once

#include <memory>

#include "eider/db/job.h"
#include "eider/db/pool.h"
#include "eider/runtime/loop.h"
#include "eider/runtime/loop_local.h"

namespace eider::db {

template <class Sessions>
class SessionPool : public Pool {
 public:
  template <class Settings>
  explicit SessionPool(const std::shared_ptr<const Settings>& settings)
      : sessions_([settings] { return std::make_unique<Sessions>(Loop::current(), settings); }) {}

  [[nodiscard]] bool submit(std::unique_ptr<Job>& job, Lane /*lane*/) override {
    return sessions_.here().submit(job);
  }
  void abandon(Job& job) noexcept override {
    LoopConnection* carrier = job.carrier();
    job.abandon();
    if (carrier != nullptr) {
      carrier->on_abandoned(job);
    }
  }
  void on_changed(TransactionState& transaction) override { transaction.tell_carrier(); }

 protected:
  /// Of this loop.
  [[nodiscard]] Sessions& sessions() const { return sessions_.here(); }

 private:
  LoopLocal<Sessions> sessions_;
};

}  // namespace eider::db
