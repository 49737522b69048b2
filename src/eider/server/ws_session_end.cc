// WsSession: how a connection ends, from either side, and what its handler hears of it.
#include <exception>
#include <stdexcept>
#include <string>
#include <utility>

#include "eider/base/failure.h"
#include "eider/http/ws/message_writer.h"
#include "eider/server/detail/ws_session.h"

namespace eider::detail {

namespace {

std::string cause_of(const std::exception_ptr& thrown) {
  try {
    std::rethrow_exception(thrown);
  } catch (const std::exception& exception) {
    return exception.what();
  } catch (...) {
    return "something that is no std::exception was thrown";
  }
}

}  // namespace

WsSession::~WsSession() {
  line_ = nullptr;
  state_ = State::over;
  hub_.unsubscribe_all(*this);
  task_ = Task<>();
  tell_closed();
  wake(arrival_);
  wake(room_);
  if (handle_ != nullptr) {
    handle_->session_ = nullptr;
  }
}

// What the line tells.

void WsSession::on_end() {
  begin_handler();
  has_peer_ended_ = true;
  if (!is_answer_owed_) {
    leave();
  }
  settle();
}

void WsSession::on_drained() {
  wake(room_);
  if (state_ < State::leaving) {
    guard([this] { read_saved(); });
  }
  settle();
}

void WsSession::on_broken() {
  if (state_ == State::over) {
    return;
  }
  line_ = nullptr;
  leave();
  state_ = State::over;
  is_orphan_ = true;
  tell_closed();
}

void WsSession::on_stopping() {
  begin_closing(CloseCode::going_away, "the server stops");
  settle();
}

bool WsSession::outlives_line() noexcept {
  const bool is_forced = line_ != nullptr;
  line_ = nullptr;
  return !is_forced && is_orphan_ && !is_handler_done();
}

// Closing.

void WsSession::close(CloseCode code, std::string_view reason) {
  if (!ws::is_sendable(code)) {
    throw std::invalid_argument("this close code must not be sent");
  }
  begin_closing(code, reason);
  is_deaf_ = true;
}

void WsSession::begin_closing(CloseCode code, std::string_view reason) {
  if (is_answer_owed_) {
    answer_close();
  }
  if (state_ != State::open) {
    return;
  }
  write_close(code, reason);
  note_reason(code, reason);
  state_ = State::closing;
  progress_ = waiting_bytes();
  hub_.unsubscribe_all(*this);
  expect(Patience::close, now() + route_.options.close_within);
  if (has_peer_ended_) {
    leave();
  } else if (is_paused_) {
    hub_.loop().defer(*this);  // reads on: the close frame may stand in what was saved
  }
}

void WsSession::write_close(CloseCode code, std::string_view reason) {
  ws::MessageWriter().close(line_->output(), code, reason);
}

// "An endpoint MAY delay sending a Close frame until its current message is sent" (RFC 6455,
// section 5.5.1): first the handler has its say on the messages in front of it.
void WsSession::hear_close(const ws::Event& event) {
  note_reason(event.code, event.data);
  if (state_ == State::open && inbox_ != nullptr) {
    is_answer_owed_ = true;
    expect(Patience::close, now() + route_.options.close_within);
  } else {
    answer_close();
  }
}

void WsSession::answer_close() {
  if (state_ == State::open) {
    answer_ping();
    write_close(code_, {});  // the same code
  }
  is_answer_owed_ = false;
  is_clean_ = true;
  leave();
}

// RFC 6455, section 7.1.7: a close frame that says why, and nothing more is read.
void WsSession::fail(CloseCode code, std::string_view reason) {
  if (state_ == State::open) {
    write_close(code, reason);
    note_reason(code, reason);
  }
  leave();
}

void WsSession::note_reason(CloseCode code, std::string_view reason) {
  code_ = code;
  if (!reason.empty() || extras_ != nullptr) {
    extras().reason = reason;
  }
}

// Behind the last word: what is corked leaves and the handler hears of the end. A client that still
// sends is read from in silence for a while, or a reset might overtake our close frame.
void WsSession::leave() {
  if (state_ >= State::leaving) {
    return;
  }
  state_ = State::leaving;
  progress_ = waiting_bytes();
  turn_bytes_ = 0;
  hub_.unsubscribe_all(*this);
  expect(Patience::close, now() + route_.options.close_within);
  wake(arrival_);
  wake(room_);
  hub_.loop().defer(*this);
  if (line_ != nullptr) {
    line_->end();
    if (is_paused_) {
      is_paused_ = false;
      line_->resume_reading();
    }
  }
}

void WsSession::wake(WsWaiter::Queue& queue) noexcept {
  while (Deferred* waiter = queue.pop_front()) {
    hub_.loop().defer(*waiter);
  }
}

/// The last thing in every call. An orphan may be destroyed.
void WsSession::settle() {
  if (state_ == State::over) {
    if (is_orphan_ && line_ == nullptr && is_handler_done()) {
      hub_.release(*this);
    }
    return;
  }
  const bool is_said = state_ == State::leaving && waiting_bytes() == 0;
  if (is_said && (is_clean_ || has_peer_ended_) && is_handler_done()) {
    end_line();
  }
}

void WsSession::end_line() noexcept {
  state_ = State::over;
  is_orphan_ = !is_handler_done();
  if (!is_orphan_) {
    disarm();
  }
  std::exchange(line_, nullptr)->close();
}

// By force: what waits for this client in the kernel would wait for ever.
void WsSession::cut() {
  if (line_ == nullptr) {
    return;
  }
  leave();
  line_->reset();
  end_line();
}

// The handler.

bool WsSession::is_handler_done() const noexcept {
  return task_.is_empty() && !owes_closed_ && is_started_;
}

void WsSession::start(WsHandler handler) {
  extras().starting = std::move(handler);
  hub_.loop().defer(*this);
}

void WsSession::start(const WebSocketHandlers& handlers) {
  handlers_ = &handlers;
  hub_.loop().defer(*this);
}

void WsSession::start(std::unique_ptr<WebSocketHandlers> handlers) {
  handlers_ = handlers.get();
  extras().handlers = std::move(handlers);
  hub_.loop().defer(*this);
}

void WsSession::begin_handler() noexcept {
  if (is_started_) [[likely]] {
    return;
  }
  is_started_ = true;
  guard([this] {
    if (handlers_ != nullptr) {
      owes_closed_ = true;
      if (handlers_->opened) {
        handlers_->opened(*this);
      }
      return;
    }
    WsHandler handler = std::move(extras().starting);
    extras_.reset();
    task_ = handler(WebSocket(*this));
    if (task_.start()) {
      hub_.loop().defer(*this);
    } else {
      task_.tell(*this);
    }
  });
}

void WsSession::on_task_done() noexcept {
  hub_.loop().defer(*this);
}

/// What was put off to where no handler is under way.
void WsSession::run() {
  begin_handler();
  end_task();
  if (state_ >= State::leaving) {
    tell_closed();
  } else {
    guard([this] { read_saved(); });
  }
  if (is_yielding_) {
    is_yielding_ = false;
    turn_bytes_ = 0;
    if (waiting_bytes() == 0) {
      wake(room_);
    }
  }
  settle();
}

void WsSession::end_task() noexcept {
  if (!task_.is_done()) {
    return;
  }
  guard([this] { task_.take(); });
  task_ = Task<>();
  begin_closing(CloseCode::normal, {});
  is_deaf_ = true;
}

void WsSession::tell_closed() noexcept {
  if (!owes_closed_) {
    return;
  }
  owes_closed_ = false;
  if (handlers_->closed) {
    guard([this] { handlers_->closed(*this); });
  }
}

void WsSession::log_failure(const std::exception_ptr& thrown) noexcept {
  if (hub_.log() == nullptr) {
    return;
  }
  try {
    std::string line("WebSocket ");
    line.append(route_.pattern).append(" failed: ").append(cause_of(thrown));
    hub_.log()->write(LogLevel::error, line);
  } catch (...) {  // no memory for the line
    hub_.log()->write(LogLevel::error, "A WebSocket handler failed.");
  }
}

}  // namespace eider::detail
