// The event loop of one thread, over epoll, io_uring or a simulated kernel.
// Layering: must not know any protocol. All of it belongs to its own thread, except `post` and
// `stop`.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "eider/core/base/buffer.h"
#include "eider/core/base/intrusive_list.h"
#include "eider/core/base/result.h"
#include "eider/io/runtime/deferred.h"
#include "eider/io/runtime/net_error.h"
#include "eider/io/runtime/socket_io.h"
#include "eider/io/runtime/time.h"

namespace eider {

class SocketAddress;
class Stream;
class Listener;
struct ListeningSocket;
struct ListenOptions;
class FdWatch;
class Timer;
class TimerWheel;
class BlockingPool;
class TurnWatch;
class ReadLender;
class ReadLoan;

enum class Backend : std::uint8_t { automatic, epoll, io_uring };

/// Parses "auto", "epoll" or "io_uring".
[[nodiscard]] std::optional<Backend> parse_backend(std::string_view text) noexcept;

/// A base of objects of which each loop has one; see LoopLocal.
class LoopKept {
 public:
  LoopKept() = default;
  LoopKept(const LoopKept&) = delete;
  LoopKept& operator=(const LoopKept&) = delete;
  virtual ~LoopKept() = default;
  /// Called when the loop ends, before any of its objects is destroyed: destroys the tasks of this
  /// object, which may use the other ones.
  virtual void end_tasks() noexcept {}
};

/// Work for another thread's event loop; run once there, or destroyed with the loop.
class Posted {
 public:
  Posted() = default;
  Posted(const Posted&) = delete;
  Posted& operator=(const Posted&) = delete;
  virtual ~Posted() = default;
  virtual void run() = 0;

 private:
  friend class Loop;
  Posted* next_ = nullptr;
};

/// The turns of a loop: written by its thread, read by other threads.
class LoopTurns {
 public:
  // Thread-safe.

  /// Returns when the current turn began; nothing while the loop waits for events, or does not run.
  [[nodiscard]] std::optional<Instant> since() const noexcept {
    const Duration began(began_.load(std::memory_order_relaxed));
    return began == Duration::zero() ? std::nullopt : std::optional(Instant(began));
  }
  /// Returns the number of turns.
  [[nodiscard]] std::uint64_t count() const noexcept {
    return count_.load(std::memory_order_relaxed);
  }

 private:
  friend class Loop;

  void note_begin(Instant now) noexcept {
    began_.store(now.time_since_epoch().count(), std::memory_order_relaxed);
  }
  void note_waiting() noexcept { began_.store(0, std::memory_order_relaxed); }
  // Only one thread writes, so no locked instruction is needed.
  void note_end() noexcept { count_.store(count() + 1, std::memory_order_relaxed); }

  std::atomic<Duration::rep> began_{0};  // 0: no turn is running
  std::atomic<std::uint64_t> count_{0};
};

class Loop {
 public:
  /// Creates an event loop, on any thread; it belongs to the thread that calls `run`.
  ///
  /// errors   `io_uring` was selected explicitly, and the kernel forbids or lacks it: the text has
  ///          the reason and the solution. `automatic` falls back to epoll instead.
  [[nodiscard]] static Result<std::unique_ptr<Loop>> create(Backend backend);

  /// Pre: its streams, listeners, watches and timers are gone or closed.
  virtual ~Loop();
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;

  /// Returns the event loop that runs on this thread. Pre: called from within one.
  [[nodiscard]] static Loop& current() noexcept;

  /// Returns "epoll", "io_uring" or "simulated".
  [[nodiscard]] virtual std::string_view name() const noexcept = 0;
  /// Returns whether only tests move the time, and no other process exists.
  [[nodiscard]] bool is_simulated() const noexcept { return name() == "simulated"; }

  /// Runs until `stop`. May be called again.
  void run();
  /// Stops the loop, from any thread: `run` returns after its current turn, or immediately if it is
  /// called next.
  void stop() noexcept;

  /// Runs `work()` on this loop's thread in one of its next turns, in posting order; from any
  /// thread. The captures are destroyed there too, or with the loop.
  template <class Work>
  void post(Work work) {
    post(std::unique_ptr<Posted>(new PostedCall<Work>(std::move(work))));
  }
  void post(std::unique_ptr<Posted> work) noexcept;

  /// Returns when this turn began, by the steady clock.
  [[nodiscard]] Instant now() const noexcept { return now_; }
  /// Reads the steady clock now, in some 20 ns: includes the time of this turn.
  [[nodiscard]] virtual Instant read_now() const noexcept;
  /// Returns the seconds since 1970 at the start of this turn, for Date and logs.
  [[nodiscard]] std::int64_t wall_seconds() const noexcept { return wall_seconds_; }

  /// Calls `timer.expire()` once, in the first turn at or after `due` (resolution 1 ms, never
  /// early). An armed timer is moved.
  void arm(Timer& timer, Instant due) noexcept;
  /// Calls `deferred.run()` once, after the events of this turn, before the loop sleeps. Has no
  /// effect if it is already queued.
  void defer(Deferred& deferred) noexcept;
  /// The same, but already after the callbacks of the current event: for work that continues with
  /// the received bytes, while those are in the processor's caches.
  void defer_after_event(Deferred& deferred) noexcept;
  /// Lends bytes that were passed to a stream's owner, so that they need no copy.
  ///
  /// returns  false if the backend cannot lend them: copy them
  [[nodiscard]] bool lend(std::string_view bytes, ReadLoan& loan) noexcept;

  /// Returns the slot of the object with that key; null at first. The object is kept until the loop
  /// ends.
  [[nodiscard]] std::unique_ptr<LoopKept>& kept(std::uint64_t key);

  /// Frees memory that busier turns left for reuse. Do not call it in each turn: the next turns
  /// would have to allocate again.
  virtual void release_spare() noexcept {}

  /// Returns the pool of `run_blocking`; null until a pool is set.
  [[nodiscard]] BlockingPool* blocking_pool() const noexcept { return blocking_pool_; }
  /// Pre: `pool` is stopped before this loop is destroyed.
  void set_blocking_pool(BlockingPool* pool) noexcept { blocking_pool_ = pool; }

 protected:
  /// Like `run`, except that work that was posted before runs at the end of the first turn.
  void run_turns();
  /// lender  of the receive memory; without one, nothing is lent
  explicit Loop(ReadLender* lender = nullptr);

  // The interface of backends. A stream, listener or watch is attached while its fd is open. It may
  // be detached (and destroyed) inside any callback, including those of other objects in the same
  // batch.

  using Written = SocketWrite;

  /// Starts reading into `StreamAccess::tell_bytes` and similar functions.
  virtual void attach(Stream& stream) = 0;
  /// `StreamAccess::wants_bytes` or `wants_writable` has changed.
  virtual void update(Stream& stream) = 0;
  /// Removes the stream, drops its cork and closes its descriptor.
  virtual void detach(Stream& stream) noexcept = 0;
  /// Writes as much of both as the socket accepts now, in this order.
  virtual Written write(Stream& stream, std::string_view first, std::string_view second) = 0;
  /// The same for a text and bytes of a file after it; error ENODATA if the file is shorter.
  virtual Written send_file(Stream& stream, std::string_view before, FileSlice slice);
  /// Sends FIN.
  virtual void end_writing(Stream& stream) noexcept = 0;
  /// Makes the next `detach` reset the connection and drop the kernel's unsent data.
  virtual void drop_unsent(Stream& stream) noexcept;

  /// Returns a socket that listens at `at`; by default of the kernel.
  [[nodiscard]] virtual Result<ListeningSocket, NetError> listen(const SocketAddress& at,
                                                                 const ListenOptions& options);
  /// Start and stop accepting into `WatchAccess::tell_accepted`. Neither closes the socket.
  virtual void attach(Listener& listener) = 0;
  virtual void detach(Listener& listener) noexcept = 0;
  /// Stops accepting, except connections that the kernel has already accepted for this loop.
  ///
  /// returns  whether none of those is left, so that closing loses no connection; if not, call
  ///          again
  [[nodiscard]] virtual bool accept_no_more(Listener& listener) noexcept = 0;
  /// Rejects clients that start to connect from now on; connections that have started are accepted.
  virtual void begin_closing(Listener& listener) noexcept;
  /// Accepts the connections that are queued after that.
  ///
  /// returns  whether no connection is being established, so that closing resets none
  [[nodiscard]] virtual bool accept_last(Listener& listener);
  /// Start, change and stop a level-triggered watch.
  virtual void attach(FdWatch& watch) = 0;
  virtual void update(FdWatch& watch) = 0;
  virtual void detach(FdWatch& watch) noexcept = 0;

  /// Implements TurnWatch::sleeps.
  [[nodiscard]] virtual std::uint64_t sleeps() const noexcept;
  /// Waits for events, at most until `until`, sets the clocks, and handles the events.
  virtual void wait(Instant until) = 0;
  /// Called when `run` is about to return: sends to the kernel what the turn has collected.
  virtual void settle() {}
  /// From any thread: makes the current `wait` return, or else the next one.
  virtual void wake() noexcept = 0;

  // The cork. A backend that sends at the end of each callback uses these implementations; one that
  // collects the sends of a whole turn overrides all three.

  /// Gives `cork_` to the stream. By default there is one cork, and that of another stream is
  /// flushed first.
  virtual void lend_cork(Stream& stream);
  /// Returns the stream's corked bytes; null if it has none.
  [[nodiscard]] virtual Buffer* corked(const Stream& stream) noexcept;
  /// Sends corked bytes, after each callback and at the end of the turn.
  virtual void flush_cork();

  /// Runs the work that the callbacks of an event have deferred; to be called after them. Streams
  /// may be destroyed afterwards. If a backend does not call it, the work runs at the end of the
  /// turn.
  void run_after_event();
  /// Runs timers, posted work and deferred work, and flushes the cork, after the events.
  void finish_turn();
  /// Returns when `wait` must return even without events. Now, if work is queued already.
  [[nodiscard]] Instant wake_at() const noexcept;
  void set_clocks(Instant now, std::int64_t wall_seconds) noexcept {
    now_ = now;
    wall_seconds_ = wall_seconds;
    turn_ms_ = static_cast<std::uint32_t>(now.time_since_epoch() / std::chrono::milliseconds(1));
    told_ago_ms_ = kNobodyTold;
    turns_.note_begin(now);
  }
  /// Calls `set_clocks` with the real clocks, or the simulated ones.
  virtual void read_clocks() noexcept;
  /// Destroys the kept objects, after the tasks of all of them. The destructor of each backend must
  /// call it first, because they may contain streams, timers and watches.
  void end_kept() noexcept;
  /// Drops the corked bytes, because the owner of the cork was destroyed.
  void drop_cork() noexcept;

  [[nodiscard]] bool is_stopping() const noexcept {
    return is_stopping_.load(std::memory_order_relaxed);
  }

  Stream* cork_owner_ = nullptr;
  Buffer* cork_;
  bool has_all_ = true;  // TurnWatch::has_all; set by `wait`

 private:
  friend class Stream;
  friend class Listener;
  friend class FdWatch;
  friend class TurnWatch;
  friend const LoopTurns& turns_of(const Loop& loop) noexcept;

  template <class Work>
  class PostedCall final : public Posted {
   public:
    explicit PostedCall(Work work) : work_(std::move(work)) {}
    void run() override { work_(); }

   private:
    Work work_;
  };

  /// Buffers for encrypted streams: decrypted input, and file contents to encrypt.
  struct PlainRooms {
    std::array<char, 64UL * 1024> input;
    std::array<char, 64UL * 1024> file;
  };
  [[nodiscard]] PlainRooms& plain_rooms() {
    if (plain_rooms_ == nullptr) {
      plain_rooms_ = std::make_unique_for_overwrite<PlainRooms>();
    }
    return *plain_rooms_;
  }

  void run_timers();
  void run_posted();
  void run_deferred();
  [[nodiscard]] Posted* take_posted() noexcept;

  BlockingPool* blocking_pool_ = nullptr;
  std::vector<std::pair<std::uint64_t, std::unique_ptr<LoopKept>>> kept_;
  Buffer own_cork_;
  std::unique_ptr<PlainRooms> plain_rooms_;
  static constexpr std::uint32_t kNobodyTold = std::numeric_limits<std::uint32_t>::max();

  Instant now_;
  std::int64_t wall_seconds_ = 0;
  std::uint32_t turn_ms_ = 0;                // `now_` in milliseconds, which wraps after 49 days
  std::uint32_t told_ago_ms_ = kNobodyTold;  // TurnWatch::told_ago
  std::unique_ptr<TimerWheel> wheel_;
  IntrusiveList<Deferred> deferred_;
  std::atomic<Posted*> posted_{nullptr};  // the latest is first
  std::atomic<bool> is_stopping_{false};
  TurnWatch* turn_watch_ = nullptr;  // set by the TurnWatch
  LoopTurns turns_;
  IntrusiveList<Deferred> after_event_;
  ReadLender* const lender_;
};

[[nodiscard]] inline const LoopTurns& turns_of(const Loop& loop) noexcept {
  return loop.turns_;
}

/// Returns the wall clock of the event loop on this thread, which tests simulate; on other threads
/// the system's clock.
[[nodiscard]] std::chrono::sys_seconds wall_time() noexcept;

}  // namespace eider
