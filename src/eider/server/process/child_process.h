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

/// The sockets of one listen address.
struct SocketsAt {
  std::string place;
  std::vector<int> sockets;
};

/// Called on the loop's thread.
class ChildOwner {
 public:
  /// Called when the process accepts connections at those addresses.
  virtual void on_accepting(pid_t process, const std::vector<std::string>& places) = 0;
  /// Called when the process has ended, or was killed. `why` is a clause: "the process exited with
  /// status 1". May start the next process.
  virtual void on_ended(std::string_view why) = 0;
  /// Called after `on_accepting`, whenever all event loops of the process have run.
  virtual void on_alive() {}

 protected:
  ~ChildOwner() = default;
};

/// All calls are on the thread of its loop.
class ChildProcess final : private Timer {
 public:
  ChildProcess(Loop& loop, ChildOwner& owner) noexcept;
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  [[nodiscard]] bool is_there() const noexcept { return process_ != 0; }
  [[nodiscard]] pid_t process() const noexcept { return process_; }

  /// Starts the program with the command line of this process. Its path is resolved again, so that
  /// a changed symbolic link is followed.
  ///
  /// sockets  are sent to it; this process still owns them, too
  /// more     an additional line of its environment; may be empty
  /// within   a process that takes longer to become ready is killed
  /// errors   it cannot be started: the reason
  [[nodiscard]] Result<void> start(std::span<const SocketsAt> sockets, const std::string& more,
                                   Duration within);
  /// returns  false if the process is gone; `on_ended` follows. Pre: on_accepting
  [[nodiscard]] bool say(HandoverWord word) const noexcept { return channel_.send(word, {}); }
  void kill(int signal) const noexcept;
  /// Lets the process continue on its own: its owner is not notified any more.
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
  /// The other end, until the first message shows that the process has received the sockets.
  HandoverChannel untaken_;
  Watch messages_{*this, &ChildProcess::on_message};
  Watch end_{*this, &ChildProcess::on_ended};
};

}  // namespace eider::detail::server
