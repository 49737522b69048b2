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

/// How far the output of one peer has come: `given` counts all bytes that have left the process, or
/// its queues, so far; `queued` of those the peer has not taken yet.
struct OutputFlow {
  std::uint64_t given = 0;
  std::uint64_t queued = 0;
};

/// One queue whose output may wait, as its OutputBudget sees it.
class WaitingOutput : public ListNode {
 public:
  /// budget  outlives it
  explicit WaitingOutput(OutputBudget& budget) noexcept : budget_(budget) {}
  WaitingOutput(const WaitingOutput&) = delete;
  WaitingOutput& operator=(const WaitingOutput&) = delete;

  /// The queue takes so much memory from now on; 0: nothing waits. More may be too much: then
  /// `give_up` of this queue, or of others, is called.
  ///
  /// own      memory of this queue alone
  /// waiting  what waits, with what is shared with other queues
  void set(std::size_t own, std::size_t waiting);
  [[nodiscard]] std::size_t own() const noexcept { return own_; }

 protected:
  ~WaitingOutput();

  [[nodiscard]] virtual OutputFlow flow() const noexcept = 0;
  /// Cuts the peer off later in this turn: it may be within any call. `set` has no effect any more,
  /// and what was set counts until `note_freed`, or this is destroyed.
  virtual void give_up() noexcept = 0;
  /// What waited is free by now. Pre: give_up was called
  void note_freed() noexcept;

 private:
  friend class OutputBudget;

  OutputBudget& budget_;
  std::size_t own_ = 0;
  std::size_t waiting_ = 0;
  bool is_given_up_ = false;
  Instant since_;      // it waits
  Instant marked_at_;  // `mark_` was the flow
  OutputFlow mark_;
  double pace_ = 0;  // bytes per second ahead of the mark
};

/// Work that makes more output and waits for room in an OutputBudget.
class RoomWaiter : public ListNode {
 public:
  /// There is room, or the wait was too long: the work is done now. May call `await_room` again.
  virtual void on_room() = 0;

 protected:
  ~RoomWaiter() = default;

 private:
  friend class OutputBudget;

  Instant since_;
};

/// The limits of a budget.
struct OutputLimits {
  /// No peer is reset below this while it reads fast enough. At twice this the slowest are reset in
  /// any case.
  std::size_t bytes_max = SIZE_MAX;
  /// At a full budget what waits for a peer has to leave within this span; at half a budget, at
  /// `bytes_per_second_min`; in between, in proportion.
  Duration span = std::chrono::seconds(30);
  std::size_t bytes_per_second_min = 0;
};

/// Counts memory, not bytes: a text of which all but one byte has left still takes all of its
/// memory, and what several queues share counts once. Costs nothing while no output waits.
class OutputBudget final : private Timer, private Deferred {
 public:
  explicit OutputBudget(Loop& loop) noexcept : loop_(loop) {}

  void set_limits(const OutputLimits& limits) noexcept;
  [[nodiscard]] std::size_t held() const noexcept { return held_; }
  /// Work that makes much output should call `await_room` first: there is no room, or other work
  /// already waits for it.
  [[nodiscard]] bool is_crowded() const noexcept { return is_crowded_; }
  /// Calls `waiter.on_room()` when there is room, in the order of these calls. After
  /// OutputLimits::span it is called in any case. A destroyed waiter is not called.
  void await_room(RoomWaiter& waiter);
  [[nodiscard]] std::size_t left() const noexcept {
    return limits_.bytes_max - (held_ < limits_.bytes_max ? held_ : limits_.bytes_max);
  }
  /// How many peers were cut off.
  [[nodiscard]] std::uint64_t given_up() const noexcept { return given_up_; }

  /// One more queue refers to the memory at `memory`, of so many bytes.
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
  /// Of Deferred: there is room again.
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
  /// Without what is free at the end of the turn.
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
  std::size_t freed_soon_ = 0;  // of that: of those that were given up
  std::uint64_t given_up_ = 0;
  Instant next_relief_;
  bool is_relieving_ = false;
  bool is_crowded_ = false;
};

/// The loop's one. On its thread, or before it runs.
[[nodiscard]] OutputBudget& output_budget_of(Loop& loop);

}  // namespace eider::detail::runtime
