// Runs the work of an application outside of requests: starts in order, stops in reverse order.
// Layering: must not be included by applications.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "eider/app/life/lifecycle.h"
#include "eider/core/base/intrusive_list.h"
#include "eider/core/base/result.h"
#include "eider/io/runtime/loop_local.h"
#include "eider/io/runtime/scope.h"
#include "eider/io/runtime/task.h"
#include "eider/server/state.h"

namespace eider {

class Reloading;
class RouteTable;
class States;

class Lifetime {
 public:
  /// table, states  must outlive this object
  Lifetime(const RouteTable& table, States& states);
  ~Lifetime();
  Lifetime(const Lifetime&) = delete;
  Lifetime& operator=(const Lifetime&) = delete;

  /// Finds the states of all functions.
  ///
  /// returns  the errors, one per line; empty: none
  [[nodiscard]] std::string resolve();

  // Called like the functions of RequestService, on the same event loops.
  [[nodiscard]] Task<Result<void>> start();
  void begin_on_loop();
  void leave_on_loop() noexcept;
  [[nodiscard]] Task<> end_on_loop();
  [[nodiscard]] Task<> stop();

  /// Returns the work that is running on the event loop of the calling thread, at most `count_max`
  /// entries.
  [[nodiscard]] std::vector<BackgroundState> on_this_loop(std::size_t count_max) const;

 private:
  class Tally;
  class Run;
  struct Call {
    const detail::app::LifeCall* call = nullptr;
    std::vector<void*> states;
    [[nodiscard]] Task<> operator()() const {
      return call->run(call->function.get(), states.data());
    }
    [[nodiscard]] bool is_there() const noexcept { return call->is_there(); }
  };
  struct Running {
    const detail::app::Part* part;
    Call start;
    Call stop;
    Call background;
    Call check;
    Call reload;
    std::shared_ptr<Tally> tally = nullptr;  // of a background task; outlives its runs
    std::unique_ptr<Scope> scope = nullptr;  // of a task that runs on one event loop
  };

  [[nodiscard]] Call resolve(const detail::app::Part& part, const detail::app::LifeCall& call,
                             std::string& wrong);
  [[nodiscard]] Task<Result<void>> start(Running& running);
  [[nodiscard]] Task<> stop(Running& running);
  void hear_reloads();
  [[nodiscard]] Task<> tell_reloaded();
  void begin_background(const Running& running, Scope& scope);
  [[nodiscard]] Task<> run_again_and_again(const Running& running);
  [[nodiscard]] Task<> run_every(const Running& running);
  [[nodiscard]] Task<bool> run_once(const Running& running);
  void log(std::string_view name, std::string_view what, std::string_view why) const;

  const RouteTable& table_;
  States& states_;
  std::vector<Running> parts_;
  std::size_t begun_ = 0;  // number of parts that have started, in their order
  LoopLocal<Scope> on_each_loop_;
  LoopLocal<IntrusiveList<Run>> running_;
  std::unique_ptr<Reloading> reloading_;
};

}  // namespace eider
