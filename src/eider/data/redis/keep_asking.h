// Detects a lost connection that only listens.
// Layering: must not be used if commands are sent regularly; their deadlines detect a loss.
#pragma once

#include <optional>

#include "eider/data/redis/link.h"
#include "eider/data/redis/redis.h"
#include "eider/io/runtime/timer.h"

namespace eider::redis::detail {

/// Sends PING if the connection was silent. PING has the time limit of any command, and a server
/// that does not respond loses the connection.
class KeepAsking final : private Timer {
 public:
  /// link  must outlive this
  KeepAsking(Link& link, Duration ping_after) : link_(link), ping_after_(ping_after) { arm(); }

 private:
  void arm() { link_.loop().arm(*this, link_.loop().now() + ping_after_); }
  void expire() override {
    arm();
    // Do not send another PING: the pending one has its own time limit.
    if (ping_ && !ping_->await_ready()) {
      return;
    }
    if (link_.life() != 0 && link_.silence() >= ping_after_) {
      ping_.emplace(link_, link_.settings().options.command_time_max, "PING");
    }
  }

  Link& link_;
  Duration ping_after_;
  std::optional<RedisCommand<void>> ping_;
};

}  // namespace eider::redis::detail
