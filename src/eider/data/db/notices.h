// Receives notifications of a channel, from databases that send some.
// Layering: must not know a driver.
#pragma once

#include <memory>
#include <string>

#include "eider/io/runtime/task.h"

namespace eider::db {

/// The notifications of a channel, without their payloads. On one event loop.
class Notices {
 public:
  Notices() = default;
  Notices(const Notices&) = delete;
  Notices& operator=(const Notices&) = delete;
  virtual ~Notices() = default;

  /// Waits for a notification. The first call returns when the server listens; calls also return
  /// after a gap, in which notifications may have been missed.
  ///
  /// errors  throws db::Failure: make another one after a pause
  [[nodiscard]] virtual Task<> next() = 0;
};

/// A pool of such a database.
class NoticeSource {
 public:
  /// Returns the notifications of a channel on this event loop.
  [[nodiscard]] virtual std::unique_ptr<Notices> notices(const std::string& channel) = 0;

 protected:
  ~NoticeSource() = default;
};

}  // namespace eider::db
