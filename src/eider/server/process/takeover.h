// The place of this process between the one that it replaces and the one that replaces it: which of
// them owns the listening sockets.
// Layering: must not serve: the workers do.
#pragma once

#include <atomic>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "eider/io/runtime/fd_watch.h"
#include "eider/io/runtime/listener.h"
#include "eider/server/listening.h"
#include "eider/server/process/handover.h"
#include "eider/server/process/pid_file.h"
#include "eider/server/process/predecessor.h"
#include "eider/server/process/succession.h"
#include "eider/server/process/systemd_notify.h"
#include "eider/server/server.h"
#include "eider/server/worker.h"

namespace eider::detail::server {

class Takeover final : private SuccessionOwner {
 public:
  /// All must outlive this; the loops, workers and owner of `group` must be set before `take_over`
  /// and `take_seat`.
  Takeover(const ServerOptions& options, const WorkerGroup& group,
           const SystemdNotify& systemd) noexcept
      : options_(options), group_(group), systemd_(systemd) {}
  Takeover(const Takeover&) = delete;
  Takeover& operator=(const Takeover&) = delete;
  ~Takeover() = default;

  [[nodiscard]] Predecessor& predecessor() noexcept { return predecessor_; }
  [[nodiscard]] PidFile& pid_file() noexcept { return pid_file_; }
  /// Returns the addresses of this process.
  [[nodiscard]] const std::vector<BoundPlace>& places() const noexcept { return places_; }
  void set_places(std::vector<BoundPlace> places) noexcept { places_ = std::move(places); }

  /// Starts new processes on SIGUSR2, which take over from this one. Pre: no loop runs
  void await_successor();
  /// Called when this process stops: also stops a new process that is starting.
  void give_up() noexcept;

  void take_over();
  /// The same for a worker: its supervisor owns the sockets.
  void take_seat();
  void tell_alive();

  /// Called when no loop runs any more.
  void end() noexcept;

 private:
  /// The messages of a supervisor to this process, its worker. Used on the first loop's thread.
  class SupervisorChannel final : private FdWatch {
   public:
    SupervisorChannel(Loop& loop, Takeover& takeover, HandoverChannel channel)
        : FdWatch(loop), takeover_(takeover), channel_(std::move(channel)) {
      if (channel_.is_over()) {
        takeover_.on_alone();
      } else {
        watch(channel_.fd(), Readiness::readable);
      }
    }
    ~SupervisorChannel() = default;

    /// Sends the message, or drops it if the supervisor does not read.
    void say(HandoverWord word) const noexcept { (void)channel_.send(word, {}); }

   private:
    void on_ready(Readiness) override {
      const auto message = channel_.receive(Duration::zero());
      if (message) {
        takeover_.on_told(message->word);
      } else if (channel_.is_over()) {
        stop();
        takeover_.on_alone();
      }
    }

    Takeover& takeover_;
    HandoverChannel channel_;
  };

  [[nodiscard]] std::string_view why_not_now() const noexcept override;
  [[nodiscard]] std::vector<SocketsAt> sockets() const override;
  void on_succeeded(const std::vector<std::string>& taken) override;
  void on_told(HandoverWord word);
  void on_alone();
  void keep_sockets();
  void set_ownership(SocketOwnership ownership);
  void set_ownership(const BoundPlace& place, SocketOwnership ownership);

  const ServerOptions& options_;
  const WorkerGroup& group_;
  const SystemdNotify& systemd_;
  Predecessor predecessor_;
  std::vector<BoundPlace> places_;
  std::atomic<bool> is_in_charge_ = false;  // `places_` does not change any more
  PidFile pid_file_;
  std::optional<Succession> succession_;
  std::optional<SupervisorChannel> superior_;
};

}  // namespace eider::detail::server
