#include "eider/server/detail/connections.h"

#include <utility>

namespace eider::detail {

void ConnectionsH1::open(Descriptor fd, Preface preface) {
  ConnectionH1& connection = slab_.make(context_);
  connection.index_ = connections_.size();
  connections_.push_back(&connection);
  connection.open(std::move(fd), preface);
}

void ConnectionsH1::close_idle() noexcept {
  // From the back, so that who takes an ended one's place has been looked at.
  for (std::size_t index = connections_.size(); index > 0; --index) {
    ConnectionH1& connection = *connections_[index - 1];
    if (connection.is_idle()) {
      on_closed(connection);
    } else {
      connection.stop_endless();
    }
  }
}

void ConnectionsH1::close_all() noexcept {
  while (!connections_.empty()) {
    on_closed(*connections_.back());
  }
}

void ConnectionsH1::on_closed(ConnectionH1& connection) noexcept {
  connections_.back()->index_ = connection.index_;
  connections_[connection.index_] = connections_.back();
  connections_.pop_back();
  slab_.destroy(connection);
  counter_.on_connection_ended();
}

}  // namespace eider::detail
