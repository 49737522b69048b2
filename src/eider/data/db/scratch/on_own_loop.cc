#include "eider/data/db/scratch/on_own_loop.h"

#include <exception>
#include <thread>
#include <utility>

#include "eider/io/runtime/loop.h"

namespace eider::detail::scratch {
namespace {

class StopsLoop final : public TaskOwner {
 public:
  explicit StopsLoop(Loop& loop) noexcept : loop_(loop) {}
  void on_task_done() noexcept override { loop_.stop(); }

 private:
  Loop& loop_;
};

Result<void, std::string> run(const Step& step) {
  auto loop = Loop::create(Backend::epoll);
  if (!loop) {
    return fail(std::string(loop.error().detail()));
  }
  StopsLoop owner(**loop);
  Task<Result<void, std::string>> task = step();
  (*loop)->post([&] {
    if (task.start()) {
      owner.on_task_done();
    } else {
      task.tell(owner);
    }
  });
  (*loop)->run();
  return task.take();
}

}  // namespace

Result<void, std::string> on_own_loop(const Step& step) {
  Result<void, std::string> done;
  std::thread([&step, &done] {
    try {
      done = run(step);
    } catch (const std::exception& failure) {
      done = fail(std::string(failure.what()));
    }
  }).join();
  return done;
}

}  // namespace eider::detail::scratch
