#include "eider/client/detail/wire.h"

#include <utility>

#include "eider/client/detail/sealer.h"
#include "eider/runtime/loop.h"

namespace eider::detail {

/// Nothing is told before it is handed over: what comes with a handshake waits.
Wire::Wire(Loop& loop, Descriptor fd) : stream_(loop, *this) {
  stream_.open(std::move(fd));
}

Task<std::optional<ClientError>> Wire::secure(std::unique_ptr<Seal> seal, Instant due) {
  stream_.secure(std::make_unique<ToldSeal>(std::move(seal), why_insecure_));
  stream_.loop().arm(*this, due);
  co_await settled_.wait();
  disarm();
  co_return std::move(fault_);
}

void Wire::hand_over(StreamOwner& owner) {
  owner_ = &owner;
  if (stream_.is_open()) {
    stream_.resume_reading();
  }
}

void Wire::on_secured() {
  protocol_ = stream_.seal()->secured_by().protocol;
  stream_.pause_reading();
  settled_.set();
}

void Wire::on_end() {
  if (owner_ != nullptr) {
    return owner_->on_end();
  }
  give_up(ClientFault::tls_failed, "The server ended the connection unencrypted.");
}

void Wire::on_drained() {
  if (owner_ != nullptr) {
    owner_->on_drained();
  }
}

void Wire::on_broken(NetError error) {
  if (owner_ != nullptr) {
    return owner_->on_broken(error);
  }
  const bool is_insecure = error == NetError::insecure && !why_insecure_.empty();
  give_up(ClientFault::tls_failed, is_insecure ? why_insecure_ : text(error));
}

void Wire::expire() {
  give_up(ClientFault::timed_out,
          "The server does not agree on encryption in time: raise handshake.");
}

void Wire::give_up(ClientFault fault, std::string_view text) {
  fault_ = ClientError{fault, std::string(text)};
  stream_.close();
  settled_.set();
}

}  // namespace eider::detail
