#include "eider/server/connection_look.h"

#include "eider/server/connection_extra.h"

namespace eider::detail::server {

Spoken ConnectionLook::spoken() const noexcept {
  switch (connection_.stage_) {
    case Connection::Stage::http1:
      return Spoken::http1;
    case Connection::Stage::proxied:
    case Connection::Stage::sealed:
    case Connection::Stage::begins:
      return Spoken::opening;
    case Connection::Stage::other:
      return connection_.extra_->held->spoken;
    case Connection::Stage::closed:
      break;
  }
  return Spoken::closing;
}

bool ConnectionLook::is_busy() const noexcept {
  return connection_.stage_ == Connection::Stage::other ? waiting_bytes() != 0
                                                        : !connection_.is_idle();
}

std::size_t ConnectionLook::waiting_bytes() const noexcept {
  return connection_.stream_.waiting_bytes();
}

void ConnectionLook::enter(Connection::Stage stage) noexcept {
  connection_.context_.numbers->take_off(spoken());
  connection_.stage_ = stage;
  connection_.context_.numbers->add(spoken());
}

void ConnectionLook::end_count() noexcept {
  connection_.context_.numbers->take_off(spoken());
  connection_.stage_ = Connection::Stage::closed;
}

}  // namespace eider::detail::server
