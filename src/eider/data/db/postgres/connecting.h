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

/// Exactly one of these functions is called, once. It must not destroy the caller during the call.
class ConnectingOwner {
 public:
  /// After this, the connection does not block.
  ///
  /// key  std::nullopt if the server sent none, as with some poolers: then nothing can be canceled
  virtual void on_connected(std::optional<BackendKey> key) = 0;
  virtual void on_not_connected(const std::string& why) = 0;

 protected:
  ~ConnectingOwner() = default;
};

class Connecting final : private FdWatch, private Timer {
 public:
  /// wire      the connection; must outlive this, as the others
  /// time_max  for one attempt; shared by several hosts
  Connecting(Loop& loop, ConnectingOwner& owner, Wire& wire, Duration time_max) noexcept
      : FdWatch(loop), owner_(owner), wire_(wire), time_max_(time_max) {}

  /// target  where to connect to; no hosts if a name was not found
  void start(Task<Target> target) { scope_.start(connect(std::move(target))); }
  /// Does not touch the socket. No callback is called.
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
