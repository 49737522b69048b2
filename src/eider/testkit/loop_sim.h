// The event loop of the simulated kernel: streams, listeners and timers in memory.
// Layering: must not be run by hand while its kernel runs it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "eider/io/runtime/blocking.h"
#include "eider/io/runtime/loop.h"
#include "eider/testkit/sim_kernel.h"

namespace eider {

namespace detail::testkit {

/// Returns the wall-clock time, in seconds since 1970, at an instant of the steady clock.
[[nodiscard]] std::int64_t wall_seconds_at(Instant now) noexcept;

}  // namespace detail::testkit

/// An event loop of the simulator. Blocking work runs on the event loop itself, in a later turn, so
/// that the seed determines its order, too.
///
/// `SimKernel` runs it. `run` also works: time then jumps to the next timer when nothing else is
/// due.
class SimLoop final : public Loop {
 public:
  explicit SimLoop(SimKernel& kernel);
  ~SimLoop() override;

  [[nodiscard]] std::string_view name() const noexcept override { return "simulated"; }
  [[nodiscard]] Instant read_now() const noexcept override;
  [[nodiscard]] SimKernel& kernel() const noexcept { return kernel_; }

  /// Runs `work()` within a turn of this event loop, then everything until idle.
  template <class Work>
  void call(Work work) {
    post(std::move(work));
    kernel_.run_until_idle();
  }

 protected:
  void read_clocks() noexcept override;
  void attach(Stream& stream) override;
  void update(Stream& stream) override;
  void detach(Stream& stream) noexcept override;
  Written write(Stream& stream, std::string_view first, std::string_view second) override;
  Written send_file(Stream& stream, std::string_view before, FileSlice slice) override;
  void end_writing(Stream& stream) noexcept override;
  void drop_unsent(Stream& stream) noexcept override;

  /// Listens on a port of the simulated kernel, with any address.
  ///
  /// errors   address_in_use, and not_supported for a Unix path
  Result<ListeningSocket, NetError> listen(const SocketAddress& at,
                                           const ListenOptions& options) override;
  void attach(Listener& listener) override;
  void detach(Listener& listener) noexcept override;
  bool accept_no_more(Listener& /*listener*/) noexcept override { return true; }
  void begin_closing(Listener& listener) noexcept override;
  bool accept_last(Listener& listener) override;
  void attach(FdWatch& watch) override;
  void update(FdWatch& watch) override;
  void detach(FdWatch& watch) noexcept override;

  [[nodiscard]] std::uint64_t sleeps() const noexcept override { return sleeps_; }
  void wait(Instant until) override;
  void wake() noexcept override {}

 private:
  friend SimKernel;
  friend class SimClient;

  struct Event {
    detail::testkit::SimConnection* connection = nullptr;  // or
    detail::testkit::SimPort* port = nullptr;              // or
    FdWatch* watch = nullptr;
    Readiness readiness = Readiness::none;
  };

  [[nodiscard]] bool is_due() const noexcept;
  [[nodiscard]] Instant due() const noexcept { return wake_at(); }
  void run_one_turn();

  void queue(detail::testkit::SimConnection& connection);
  void queue(detail::testkit::SimPort& port);
  void forget(const void* object) noexcept;
  void shuffle_batch() noexcept;
  void handle(Event event);
  void handle(detail::testkit::SimConnection& connection);
  void read(detail::testkit::SimConnection& connection);
  void accept(detail::testkit::SimPort& port);
  [[nodiscard]] std::string_view take_unread(detail::testkit::SimConnection& connection,
                                             std::size_t bytes);
  [[nodiscard]] std::size_t bytes_to_read(std::size_t unread) noexcept;
  [[nodiscard]] std::size_t bytes_to_take(const detail::testkit::SimConnection& connection,
                                          std::size_t bytes);

  static constexpr std::size_t kReadBytesMax = 64UL * 1024;  // as in the real event loops

  SimKernel& kernel_;
  Instant turn_end_;
  std::uint64_t sleeps_ = 0;  // number of turns before which time has passed
  bool is_driven_ = false;    // by the kernel: each `run` is one turn
  std::vector<Event> events_;
  std::vector<Event> batch_;
  std::unique_ptr<char[]> room_ = std::make_unique_for_overwrite<char[]>(kReadBytesMax);
  std::vector<FdWatch*> watches_;
  BlockingPool pool_;
};

}  // namespace eider
