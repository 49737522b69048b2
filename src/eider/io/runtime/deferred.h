// Work queued within one turn of the event loop.
// Layering: must not be queued from another thread than that of its event loop: `Loop::post` does
// that.
#pragma once

#include "eider/core/base/intrusive_list.h"

namespace eider {

/// A base class of work: derive from it, and queue it with `Loop::defer`. Its destructor withdraws
/// it.
class Deferred : private ListNode {
 public:
  Deferred() = default;
  Deferred(const Deferred&) = delete;
  Deferred& operator=(const Deferred&) = delete;

  /// Runs once each time it was queued. May queue again (for the next round), and may destroy
  /// itself.
  virtual void run() = 0;

  [[nodiscard]] bool is_queued() const noexcept { return is_linked(); }
  void withdraw() noexcept { unlink(); }

 protected:
  ~Deferred() = default;

 private:
  friend class IntrusiveList<Deferred>;
  friend class Loop;
};

}  // namespace eider
