// All connections of one loop.
// Must not decide when they end, save all at once.
#pragma once

#include <cstddef>
#include <vector>

#include "eider/base/slab.h"
#include "eider/runtime/descriptor.h"
#include "eider/server/detail/conn_h1.h"

namespace eider::detail {

/// Learns that one of the loop's connections has ended.
class ConnectionCounter {
 public:
  virtual void on_connection_ended() noexcept = 0;

 protected:
  ~ConnectionCounter() = default;
};

class ConnectionsH1 final : private ConnectionOwner {
 public:
  ConnectionsH1(LoopContext& context, ConnectionCounter& counter) noexcept
      : context_(context), counter_(counter) {
    context_.connections = this;
  }
  ~ConnectionsH1() { close_all(); }
  ConnectionsH1(const ConnectionsH1&) = delete;
  ConnectionsH1& operator=(const ConnectionsH1&) = delete;

  void open(Descriptor fd, Preface preface = {});
  /// Closes what is idle, and ends what has no end of its own.
  void close_idle() noexcept;
  /// Drops what is in flight; tasks that outlive their client stay with the context.
  void close_all() noexcept;

  [[nodiscard]] std::size_t size() const noexcept { return connections_.size(); }

 private:
  void on_closed(ConnectionH1& connection) noexcept override;

  LoopContext& context_;
  ConnectionCounter& counter_;
  Slab<ConnectionH1> slab_;
  std::vector<ConnectionH1*> connections_;
};

}  // namespace eider::detail
