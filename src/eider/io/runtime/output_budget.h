// Limits the memory of one event loop's pending output: resets slow connections.
// Layering: must not know protocols, nor the contents of the output.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "eider/core/base/intrusive_list.h"
#include "eider/io/runtime/deferred.h"
#include "eider/io/runtime/loop.h"
#include "eider/io/runtime/time.h"
#include "eider/io/runtime/timer.h"

namespace eider::detail::runtime {

class OutputBudget;

/// The progress of one peer's output: `given` counts all bytes that have left the process, or its
/// queues; `queued` counts those of them that the peer has not acknowledged yet.
struct OutputFlow {
  std::uint64_t given = 0;
  std::uint64_t queued = 0;
};

/// A queue whose output may wait, as seen by its OutputBudget.
class WaitingOutput : public ListNode {
 public:
  /// budget  must outlive this object
  explicit WaitingOutput(OutputBudget& budget) noexcept : budget_(budget) {}
  WaitingOutput(const WaitingOutput&) = delete;
  WaitingOutput& operator=(const WaitingOutput&) = delete;

  /// Sets the memory of the queue; 0: nothing waits. If it exceeds the limits, `give_up` is called
  /// for this queue or for others.
  ///
  /// own      memory of this queue alone
  /// waiting  all waiting output, including memory shared with other queues
  void set(std::size_t own, std::size_t waiting);
  [[nodiscard]] std::size_t own() const noexcept { return own_; }

 protected:
  ~WaitingOutput();

  [[nodiscard]] virtual OutputFlow flow() const noexcept = 0;
  /// Must disconnect the peer later in this turn, because it may be called from within any
  /// function. `set` has no effect afterwards, and the last value counts until `note_freed` or the
  /// destructor.
  virtual void give_up() noexcept = 0;
  /// Must be called when the waiting output was freed. Pre: give_up was called.
  void note_freed() noexcept;

 private:
  friend class OutputBudget;

  OutputBudget& budget_;
  std::size_t own_ = 0;
  std::size_t waiting_ = 0;
  bool is_given_up_ = false;
  Instant since_;      // when the output began to wait
  Instant marked_at_;  // when `mark_` was the flow
  OutputFlow mark_;
  double pace_ = 0;  // bytes per second before the mark
};

/// Work that produces more output and waits for room in an OutputBudget.
class RoomWaiter : public ListNode {
 public:
  /// Called when there is room, or when the wait was too long: do the work now. May call
  /// `await_room` again.
  virtual void on_room() = 0;

 protected:
  ~RoomWaiter() = default;

 private:
  friend class OutputBudget;

  Instant since_;
};

/// The limits of a budget.
struct OutputLimits {
  /// Below this, a peer that reads fast enough is never reset. Above twice this, the slowest peers
  /// are always reset.
  std::size_t bytes_max = SIZE_MAX;
  /// If the budget is full, the output of a peer must leave within this time. If it is half full,
  /// the peer must read at least `bytes_per_second_min`. In between, the rule changes
  /// proportionally.
  Duration span = std::chrono::seconds(30);
  std::size_t bytes_per_second_min = 0;
};

/// Counts memory, not bytes: a text of which only one byte is left still uses all of its memory.
/// Memory that several queues share counts once. Costs nothing while no output waits.
class OutputBudget final : private Timer, private Deferred {
 public:
  explicit OutputBudget(Loop& loop) noexcept : loop_(loop) {}

  void set_limits(const OutputLimits& limits) noexcept;
  [[nodiscard]] std::size_t held() const noexcept { return held_; }
  /// Returns whether work that produces much output should call `await_room` first: there is no
  /// room, or other work already waits for it.
  [[nodiscard]] bool is_crowded() const noexcept { return is_crowded_; }
  /// Calls `waiter.on_room()` when there is room, in the order of these calls. After
  /// OutputLimits::span it is called in any case. A destroyed waiter is not called.
  void await_room(RoomWaiter& waiter);
  [[nodiscard]] std::size_t left() const noexcept {
    return limits_.bytes_max - (held_ < limits_.bytes_max ? held_ : limits_.bytes_max);
  }
  /// Returns how many peers were disconnected.
  [[nodiscard]] std::uint64_t given_up() const noexcept { return given_up_; }

  /// Adds a queue that refers to the memory at `memory`, which has `bytes` bytes.
  void add_shared(const void* memory, std::size_t bytes);
  void drop_shared(const void* memory) noexcept;

 private:
  friend class WaitingOutput;

  struct Shared {
    std::size_t bytes = 0;
    std::size_t queues = 0;
  };
  struct Candidate {
    WaitingOutput* output = nullptr;
    double pace = 0;
  };

  void expire() override;
  /// Called by Deferred when there is room again.
  void run() override;
  void offer(RoomWaiter& waiter);
  void offer_to_late();
  void add(std::size_t bytes) noexcept;
  void drop(std::size_t bytes) noexcept;
  void note_room() noexcept;
  void arm_look() noexcept;
  void note_change() noexcept;
  void begin(WaitingOutput& output) noexcept;
  [[nodiscard]] bool has_room() const noexcept { return held_ == 0 || held_ < limits_.bytes_max; }
  [[nodiscard]] bool is_new(const WaitingOutput& output) const noexcept;
  [[nodiscard]] double pace_of(const WaitingOutput& output) const noexcept;
  void mark(WaitingOutput& output) const noexcept;
  [[nodiscard]] double least_pace(const WaitingOutput& output) const noexcept;
  [[nodiscard]] double hurried_pace(const WaitingOutput& output) const noexcept;
  [[nodiscard]] std::vector<Candidate> candidates() const;
  /// Returns the memory without the part that is freed at the end of the turn.
  [[nodiscard]] std::size_t kept() const noexcept { return held_ - freed_soon_; }
  [[nodiscard]] std::size_t twice() const noexcept {
    return limits_.bytes_max > SIZE_MAX / 2 ? SIZE_MAX : 2 * limits_.bytes_max;
  }
  void relieve();
  void give_up(WaitingOutput& output) noexcept;
  [[nodiscard]] Duration look_after() const noexcept;

  Loop& loop_;
  OutputLimits limits_;
  IntrusiveList<WaitingOutput> waiting_;
  IntrusiveList<RoomWaiter> room_waiters_;
  std::unordered_map<const void*, Shared> shared_;
  std::size_t held_ = 0;
  std::size_t freed_soon_ = 0;  // the part of it that belongs to disconnected peers
  std::uint64_t given_up_ = 0;
  Instant next_relief_;
  bool is_relieving_ = false;
  bool is_crowded_ = false;
};

/// Returns the budget of a loop. Call it on its thread, or before it runs.
[[nodiscard]] OutputBudget& output_budget_of(Loop& loop);

}  // namespace eider::detail::runtime
