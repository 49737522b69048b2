#include "eider/server/detail/connections.h"

#include <utility>

namespace eider::detail {

void ConnectionsH1::open(Descriptor fd) {
  ConnectionOwner& owner = *this;
  connections_.push_back(std::make_unique<ConnectionH1>(context_, owner));
  ConnectionH1& connection = *connections_.back();
  connection.index_ = static_cast<std::uint32_t>(connections_.size() - 1);
  connection.open(std::move(fd));
}

void ConnectionsH1::close_idle() noexcept {
  // From the back, so that who takes an ended one's place has been looked at.
  for (std::size_t index = connections_.size(); index > 0; --index) {
    ConnectionH1& connection = *connections_[index - 1];
    if (connection.is_idle()) {
      on_closed(connection);
    }
  }
}

void ConnectionsH1::close_all() noexcept {
  while (!connections_.empty()) {
    on_closed(*connections_.back());
  }
}

void ConnectionsH1::on_closed(ConnectionH1& connection) noexcept {
  const std::size_t index = connection.index_;
  const std::unique_ptr<ConnectionH1> ended = std::move(connections_[index]);
  if (index + 1 != connections_.size()) {
    connections_[index] = std::move(connections_.back());
    connections_[index]->index_ = static_cast<std::uint32_t>(index);
  }
  connections_.pop_back();
  counter_.on_connection_ended();
}

}  // namespace eider::detail
