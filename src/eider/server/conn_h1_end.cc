// ConnectionH1: how it ends, from either side.
#include "eider/server/detail/conn_h1.h"

namespace eider::detail {

void ConnectionH1::on_end() {
  has_peer_ended_ = true;
  switch (state_) {
    case State::ready:
    case State::body:
    case State::preface:
      end_exchange();
      close_behind_answer();
      break;
    case State::waiting:
    case State::producing:
    case State::upgraded:
      end_unusual();
      break;
    case State::blocked:
    case State::closing:
      break;
    case State::lingering:
    case State::closed:
      state_ = State::closed;
      break;
  }
  settle();
}

void ConnectionH1::on_drained() {
  switch (state_) {
    case State::blocked:
      state_ = State::ready;
      serve_saved();
      break;
    case State::closing:
      state_ = State::closed;
      break;
    case State::lingering:
      progress_ = 0;
      expect(Patience::linger, context_.limits.linger);
      break;
    case State::producing:
    case State::upgraded:
      go_on_writing();
      break;
    case State::ready:
    case State::body:
    case State::preface:
    case State::waiting:
    case State::closed:
      break;
  }
  settle();
}

void ConnectionH1::on_broken(NetError) {
  break_unusual();
  state_ = State::closed;
  settle();
}

void ConnectionH1::block() {
  state_ = State::blocked;
  watch_writing();
}

void ConnectionH1::close_behind_answer() {
  if (stream_.flush()) {
    state_ = State::closed;
    return;
  }
  stream_.end();
  state_ = State::closing;
  watch_writing();
}

// RFC 9112, 9.6: a close while the client sends would be a reset, which may overtake the answer.
void ConnectionH1::linger() {
  if (has_peer_ended_) {
    close_behind_answer();
    return;
  }
  state_ = State::lingering;
  stream_.end();
  if (is_paused_) {
    is_paused_ = false;
    stream_.resume_reading();
  }
  if (stream_.waiting_bytes() != 0) {
    watch_writing();
    return;
  }
  progress_ = 0;
  expect(Patience::linger, context_.limits.linger);
}

// Half a head is there, or none will come.
void ConnectionH1::settle_reading() {
  if (has_peer_ended_) {
    close_behind_answer();
  } else if (patience_ != Patience::head) {
    expect(Patience::head, context_.limits.head);
  }
}

}  // namespace eider::detail
