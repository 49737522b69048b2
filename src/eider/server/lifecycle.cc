#include "eider/server/lifecycle.h"

#include <algorithm>
#include <exception>
#include <string>
#include <utility>

#include "eider/io/runtime/deadline.h"
#include "eider/io/runtime/loop.h"
#include "eider/server/service.h"

namespace eider::detail::server {

Lifecycle::Lifecycle(RequestService& service, std::span<Loop* const> loops,
                     std::span<Worker* const> workers, const SystemdNotify& systemd,
                     Heartbeat heartbeat, Duration leave)
    : service_(service),
      loops_(loops),
      workers_(workers),
      systemd_(systemd),
      watchdog_(heartbeat.within != Duration::zero()
                    ? LoopWatchdog(heartbeat.within, std::move(heartbeat.tell), loops.size())
                    : LoopWatchdog(systemd, loops.size())),
      leave_(leave),
      loops_begun_{loops.size()},
      loops_drained_{loops.size()},
      loops_ended_{loops.size()} {
  for (std::size_t index = 0; index < loops.size(); ++index) {
    watches_.push_back(std::make_unique<Scope>());
    ends_.push_back(std::make_unique<Scope>());
  }
}

void Lifecycle::begin() {
  loops_.front()->post([this] { scope_.start(run()); });
}

Result<void> Lifecycle::wait_begun() {
  return begun_.get_future().get();
}

void Lifecycle::stop(Duration drain) noexcept {
  loops_.front()->post([this, drain] { want_stop(drain); });
}

void Lifecycle::hand_over(Duration drain) noexcept {
  departure_ = Departure::handed_over;
  want_stop(drain);
}

void Lifecycle::want_stop(Duration drain) noexcept {
  // The earliest deadline applies: a repeated stop can only shorten the time.
  const bool is_first = !stop_wanted_.is_set();
  const bool leaves = is_first && departure_ == Departure::stop;
  const Instant by = loops_.front()->now() + (leaves ? leave_ : Duration::zero()) + drain;
  drained_by_ = std::min(drained_by_.value_or(by), by);
  is_stopping_.store(true, std::memory_order_release);
  // Destroys a start that is still waiting; `run` then continues to its end.
  starting_.cancel();
  stop_wanted_.set();
  if (!is_first || drain == Duration::zero()) {
    drain_wanted_.set();
  }
  if (is_draining_) {
    drain_all();
  }
}

void Lifecycle::drain_all() noexcept {
  // A further stop only changes the deadline of the workers.
  const bool is_first = !std::exchange(is_draining_, true);
  const Duration within = std::max(*drained_by_ - loops_.front()->now(), Duration::zero());
  for (std::size_t index = 0; index < loops_.size(); ++index) {
    loops_[index]->post([this, worker = workers_[index], within, is_first, why = departure_] {
      if (is_first) {
        service_.drain();
      }
      worker->drain(within, why);
    });
  }
}

void Lifecycle::tell(Barrier& barrier) noexcept {
  loops_.front()->post([&barrier] { barrier.arrive(); });
}

void Lifecycle::on_drained() noexcept {
  tell(loops_drained_);
}

template <class Step>
void Lifecycle::on_each_loop(Step step) {
  for (std::size_t index = 0; index < loops_.size(); ++index) {
    loops_[index]->post([step, index] { step(index); });
  }
}

// Handlers may use resources of the service until the last response of any loop was sent, and
// background tasks until they are ended. So each step waits for all loops.
Task<> Lifecycle::run() {
  Result<void> started = co_await start();
  if (started && !drained_by_) {
    co_await serve();
  }
  is_stopping_.store(true, std::memory_order_release);
  co_await stop_service();
  // `Server::start` waits for this, if `serve` has not set it: the service did not start, or was
  // stopped before.
  if (!is_draining_) {
    begun_.set_value(std::move(started));
  }
  // Must be last: this task runs on the first loop, and ends with that loop's current turn.
  for (Loop* const loop : loops_) {
    loop->stop();
  }
}

/// Runs the start of the service. If the server stops in the meantime, this task is destroyed.
Task<Result<void>> Lifecycle::start() {
  try {
    std::optional<Result<void>> started = co_await with_cancel(service_.start(), starting_.token());
    co_return started ? std::move(*started) : Result<void>();
  } catch (const std::exception& thrown) {
    co_return fail(Error::internal(thrown.what()));
  } catch (...) {
    co_return fail(Error::internal("an exception was thrown that is not a std::exception"));
  }
}

Task<> Lifecycle::serve() {
  on_each_loop([this](std::size_t) {
    service_.begin();
    tell(loops_begun_);
  });
  co_await loops_begun_.all_are_there.wait();
  // Connections may be handed over to any loop, so accept only after all loops have begun.
  on_each_loop([this](std::size_t index) {
    workers_[index]->admit();
    if (watchdog_.is_wanted()) {
      watches_[index]->start(watchdog_.watch(index));
    }
  });
  begun_.set_value({});
  co_await stop_wanted_.wait();
  if (departure_ == Departure::stop) {
    systemd_.tell("STOPPING=1");
    co_await leave();
  }
  drain_all();
  co_await loops_drained_.all_are_there.wait();
  // The tasks that end a loop run in a scope on its own thread.
  on_each_loop([this](std::size_t index) { ends_[index]->start(end_loop(index)); });
  co_await loops_ended_.all_are_there.wait();
}

Task<> Lifecycle::leave() {
  on_each_loop([this](std::size_t) { service_.leave(); });
  if (leave_ != Duration::zero()) {
    auto wanted = [](AsyncEvent& drain) -> Task<> { co_await drain.wait(); }(drain_wanted_);
    (void)co_await with_deadline(std::move(wanted), leave_);
  }
}

Task<> Lifecycle::end_loop(std::size_t index) {
  watches_[index]->cancel();
  co_await watches_[index]->join();
  co_await service_.end();
  tell(loops_ended_);
}

Task<> Lifecycle::stop_service() {
  co_await service_.stop();
}

}  // namespace eider::detail::server
