// A mode for startup that fails immediately if there is no connection.
// Layering: must not be used while requests are served; they wait for a server that restarts.
#pragma once

#include <memory>
#include <utility>

#include "eider/data/db/pool.h"

namespace eider::db {

/// A pool whose statements wait for a connection.
class WaitingPool {
 public:
  /// For this event loop. While it is set, waiting statements fail if the server cannot be reached.
  virtual void set_impatient(bool is_impatient) = 0;

 protected:
  ~WaitingPool() = default;
};

/// Sets the mode during its lifetime, if the pool is a WaitingPool.
class Impatient {
 public:
  explicit Impatient(std::shared_ptr<Pool> pool)
      : pool_(std::move(pool)), waiting_(dynamic_cast<WaitingPool*>(pool_.get())) {
    set(true);
  }
  ~Impatient() { set(false); }
  Impatient(const Impatient&) = delete;
  Impatient& operator=(const Impatient&) = delete;

 private:
  void set(bool is_impatient) {
    if (waiting_ != nullptr) {
      waiting_->set_impatient(is_impatient);
    }
  }

  std::shared_ptr<Pool> pool_;
  WaitingPool* waiting_;
};

}  // namespace eider::db
