// Connects to one server step by step: name resolution, TLS and password.
// Layering: must not be used after it has finished.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "eider/data/db/postgres/cancel_request.h"
#include "eider/data/db/postgres/postgres.h"
#include "eider/data/db/postgres/target.h"
#include "eider/data/db/postgres/wire.h"
#include "eider/io/runtime/fd_watch.h"
#include "eider/io/runtime/scope.h"
#include "eider/io/runtime/timer.h"

namespace eider::db::postgres {

/// Told once, by one of these two. Must not destroy what tells it within the call.
class ConnectingOwner {
 public:
  /// Nothing blocks on it from here on.
  ///
  /// key  nothing where none was told, as by some poolers: then nothing can be cancelled
  virtual void on_connected(std::optional<BackendKey> key) = 0;
  virtual void on_not_connected(const std::string& why) = 0;

 protected:
  ~ConnectingOwner() = default;
};

class Connecting final : private FdWatch, private Timer {
 public:
  /// wire      what is connected; outlives this, as the others do
  /// time_max  for one attempt; several hosts share it
  Connecting(Loop& loop, ConnectingOwner& owner, Wire& wire, Duration time_max) noexcept
      : FdWatch(loop), owner_(owner), wire_(wire), time_max_(time_max) {}

  /// target  where to connect to; no hosts when a name was not found
  void start(Task<Target> target) { scope_.start(connect(std::move(target))); }
  /// Leaves the socket alone. Nobody is told.
  void end() noexcept;

 private:
  Task<> connect(Task<Target> finding);
  void go_on(Wire::Progress progress);
  void finish();
  void fail(const std::string& why);
  void on_ready(Readiness what) override;
  void expire() override { fail("the server does not respond"); }

  ConnectingOwner& owner_;
  Wire& wire_;
  Duration time_max_;
  std::unique_ptr<KeyListener> listener_;
  Scope scope_;
};

}  // namespace eider::db::postgres
