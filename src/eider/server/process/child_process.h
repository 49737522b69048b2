// Another process of the same program: its start, sockets, messages and end.
// Layering: must not know the purpose of the process: to replace this one, or to serve as a worker.
#pragma once

#include <sys/types.h>

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "eider/core/base/result.h"
#include "eider/io/runtime/fd_watch.h"
#include "eider/io/runtime/time.h"
#include "eider/io/runtime/timer.h"
#include "eider/server/process/handover.h"

namespace eider::detail::server {

/// One place that is listened at, and by what.
struct SocketsAt {
  std::string place;
  std::vector<int> sockets;
};

/// Told on the loop's thread.
class ChildOwner {
 public:
  /// It accepts at those places.
  virtual void on_accepting(pid_t process, const std::vector<std::string>& places) = 0;
  /// It has ended, or was ended here. `why` is a clause: "the process exited with status 1". May
  /// start the next.
  virtual void on_ended(std::string_view why) = 0;
  /// Behind `on_accepting`: all of its loops have turned.
  virtual void on_alive() {}

 protected:
  ~ChildOwner() = default;
};

/// All of it on the thread of its loop.
class ChildProcess final : private Timer {
 public:
  ChildProcess(Loop& loop, ChildOwner& owner) noexcept;
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  [[nodiscard]] bool is_there() const noexcept { return process_ != 0; }
  [[nodiscard]] pid_t process() const noexcept { return process_; }

  /// Starts the program as this process was started: by the same words, its path looked up anew,
  /// so that a link that leads elsewhere by now is followed.
  ///
  /// sockets  are sent to it; they go on to belong to this process
  /// more     a further line of its environment; may be empty
  /// within   what takes longer to be ready is killed
  /// errors   it cannot be started: why
  [[nodiscard]] Result<void> start(std::span<const SocketsAt> sockets, const std::string& more,
                                   Duration within);
  /// returns  false when it is gone; `on_ended` follows. Pre: on_accepting
  [[nodiscard]] bool say(HandoverWord word) const noexcept { return channel_.send(word, {}); }
  void kill(int signal) const noexcept;
  /// It goes on by itself: nothing more is heard of it.
  void leave() noexcept;

 private:
  class Watch final : public FdWatch {
   public:
    Watch(ChildProcess& child, void (ChildProcess::*told)()) noexcept
        : FdWatch(child.loop_), child_(child), told_(told) {}
    void on_ready(Readiness) override { (child_.*told_)(); }

   private:
    ChildProcess& child_;
    void (ChildProcess::*told_)();
  };

  void expire() override;
  void on_message();
  void on_ended();

  Loop& loop_;
  ChildOwner& owner_;
  pid_t process_ = 0;
  bool is_late_ = false;
  Descriptor process_fd_;
  HandoverChannel channel_;
  /// Its end, until its first word shows that it has taken what was sent.
  HandoverChannel untaken_;
  Watch messages_{*this, &ChildProcess::on_message};
  Watch end_{*this, &ChildProcess::on_ended};
};

}  // namespace eider::detail::server
