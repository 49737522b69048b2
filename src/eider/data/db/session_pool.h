// Sends jobs to the connections of the event loop that they come from: for drivers without threads.
// Layering: must not know a driver; its Sessions manage connections and queue of one event loop.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <utility>

#include "eider/core/base/resource_probe.h"
#include "eider/data/db/job.h"
#include "eider/data/db/loop_sessions.h"
#include "eider/data/db/pool.h"
#include "eider/io/runtime/loop.h"
#include "eider/io/runtime/loop_local.h"

namespace eider::db {

template <class Sessions>
class SessionPool : public Pool {
 public:
  /// name  shown in reports of its state; must not be secret
  template <class Settings>
  SessionPool(const std::shared_ptr<const Settings>& settings, std::string name)
      : connections_max_(settings->options.connections_max),
        counts_(std::make_shared<PoolCounts>()),
        sessions_([settings, counts = counts_] {
          return std::make_unique<Sessions>(Loop::current(), settings, nullptr, counts);
        }),
        resource_probe_([this, its = std::move(name)] { return resource_of(its, state()); }) {}

  [[nodiscard]] PoolState state() const override { return counts_->state(); }
  [[nodiscard]] std::size_t connections_max() const noexcept override { return connections_max_; }

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
  void set_impatient(bool is_impatient) override { sessions().set_impatient(is_impatient); }

 protected:
  /// Returns the sessions of this event loop.
  [[nodiscard]] Sessions& sessions() const { return sessions_.here(); }

 private:
  const std::size_t connections_max_;
  std::shared_ptr<PoolCounts> counts_;
  LoopLocal<Sessions> sessions_;
  ResourceProbe resource_probe_;
};

}  // namespace eider::db
