#include "eider/io/ws/ws_session.h"

#include <chrono>
#include <stdexcept>
#include <string>
#include <utility>

#include "eider/core/base/failure.h"

namespace eider::ws::detail {

namespace {

std::string cause_of(const std::exception_ptr& thrown) {
  try {
    std::rethrow_exception(thrown);
  } catch (const std::exception& exception) {
    return exception.what();
  } catch (...) {
    return "an exception was thrown that is not a std::exception";
  }
}

}  // namespace

WsRoute::WsRoute(WebSocketOptions its_options, std::string its_pattern)
    : options(std::move(its_options)),
      limits{.message_bytes_max = options.message_bytes_max,
             .fragments_max = options.fragments_max},
      pattern(std::move(its_pattern)) {}

WsSession::WsSession(WsShared& shared, const WsRoute& route, UpgradedLine& line,
                     const WsAgreement& agreement)
    : subprotocol_(agreement.subprotocol), output_(shared, route, line) {
  begin(output_);
  if (agreement.compression) {
    output_.compress(*agreement.compression);
  }
}

// First leave the topics, so that nothing is published to this session. Then end the handler, after
// which only other senders may wait here. Last, inform the handle.
WsSession::~WsSession() {
  abandon_line();
  leave_topics();
  end_handler();
  if (Coroutine* const its = coroutine()) {
    wake(its->arrival);
    wake(its->room);
    if (its->handle != nullptr) {
      its->handle->session_ = nullptr;
    }
  }
  drop_handler();
  if (is_deferred_) {
    output_.shared().withdraw(*this);
  }
}

WsSession::Coroutine& WsSession::make_coroutine() {
  auto made = std::make_unique<Coroutine>(*this);
  served_by_ = ServedBy::coroutine;
  coroutine_ = made.release();
  return *coroutine_;
}

void WsSession::drop_handler() noexcept {
  switch (served_by_) {
    case ServedBy::callbacks:
      break;
    case ServedBy::own_callbacks:
      delete callbacks_;
      break;
    case ServedBy::coroutine:
      delete coroutine_;
      break;
  }
}

std::string_view WsSession::agreed_subprotocol() const noexcept {
  const auto& names = output_.options().subprotocols;
  return subprotocol_ < names.size() ? std::string_view(names[subprotocol_]) : std::string_view();
}

std::string WsSession::address() const {
  const UpgradedLine* const line = output_.line();
  return line == nullptr ? std::string() : line->address();
}

void WsSession::on_stopping() {
  UpgradedLine* const line = output_.line();
  const Duration pause = line == nullptr ? Duration::zero() : line->comes_back_in();
  if (pause == Duration::zero()) {
    hasten_close(output_);
    begin_closing(CloseCode::going_away, "the server is shutting down");
  } else {
    const auto wait = std::chrono::ceil<std::chrono::milliseconds>(pause).count();
    begin_closing(CloseCode::service_restart, "retry-ms=" + std::to_string(wait));
  }
  settle();
}

void WsSession::on_line_gone() noexcept {
  // If the line still exists, it was destroyed by force, and its handler ends with it.
  const bool is_forced = output_.line() != nullptr;
  abandon_line();
  if (is_forced || is_served()) {
    output_.shared().destroy(*this);
  } else {
    output_.shared().adopt(*this);
    // The line's timer was destroyed with it.
    expect_close(output_);
  }
}

// Messages and topics.

void WsSession::deliver(const WsMessage& message) {
  if (callbacks() != nullptr) {
    if (callbacks_->message) {
      guard([this, &message] { callbacks_->message(*this, message); });
    }
    return;
  }
  if (!has_memory_for(message)) {
    fail(CloseCode::try_again_later, "too many messages wait");
    return;
  }
  if (coroutine_->inbox == nullptr) {
    coroutine_->inbox = output_.shared().take_inbox();
  }
  coroutine_->inbox->add(message);
  coroutine_->held.set(coroutine_->inbox->held_bytes());
  wake(coroutine_->arrival);
}

bool WsSession::is_full() const noexcept {
  const WebSocketOptions& options = output_.options();
  const WsInbox* const waiting = inbox();
  return is_held_back_ || (waiting != nullptr && !waiting->empty() &&
                           (waiting->messages() >= options.queued_messages_max ||
                            waiting->bytes() >= options.queued_bytes_max ||
                            (output_.is_server() && !output_.shared().waiting_messages().admits(
                                                        coroutine_->held.bytes()))));
}

bool WsSession::has_memory_for(const WsMessage& message) const {
  const bool is_received_now = !coroutine_->arrival.empty();
  if (!output_.is_server() || is_received_now || (inbox() != nullptr && !inbox()->empty())) {
    return true;
  }
  const std::size_t bytes = message.bytes.size();
  return output_.shared().waiting_messages().admits(coroutine_->held.bytes() + bytes, bytes);
}

void WsSession::publish(std::string_view topic, const WsMessage& message, const WsSession* except) {
  WsTopics& topics = *output_.shared().topics();
  if (!topics.publish(topic, message, except) && is_open() && !is_held_back_) {
    topics.hold_back(*this);
  }
}

void WsSession::go_on_reading() noexcept {
  is_held_back_ = false;
  // A handler that is woken without a message would assume the end of the connection.
  if (coroutine() != nullptr && has_news()) {
    wake(coroutine_->arrival);
  }
  read_on();
}

void WsSession::leave_topics() noexcept {
  if (is_held_back_) {
    is_held_back_ = false;
    output_.shared().topics()->forget_held_back(*this);
  }
  if (subscriptions_ != nullptr) {
    output_.shared().topics()->unsubscribe_all(*this);
  }
}

void WsSession::wake_at_end() noexcept {
  if (coroutine() != nullptr && is_end_told()) {
    wake(coroutine_->arrival);
  }
  wake_sender();
}

void WsSession::wake_sender() noexcept {
  if (coroutine() != nullptr) {
    wake(coroutine_->room);
  }
}

/// A server's handler continues after the end. A client's owner may destroy the connection as soon
/// as it is informed, so it is informed after the last output was sent.
bool WsSession::is_end_told() const noexcept {
  return state_ >= (output_.is_server() ? State::leaving : State::over);
}

void WsSession::wake(WsWaiter::Queue& queue) noexcept {
  while (Deferred* waiter = queue.pop_front()) {
    output_.shared().loop().defer(*waiter);
  }
}

void WsSession::log_failure(const std::exception_ptr& thrown) noexcept {
  LogSink* const log = output_.shared().log();
  if (log == nullptr) {
    return;
  }
  try {
    std::string line("WebSocket ");
    line.append(output_.route().pattern).append(" failed: ").append(cause_of(thrown));
    log->write(LogLevel::error, line);
  } catch (...) {  // there is no memory for the line
    log->write(LogLevel::error, "A WebSocket handler failed.");
  }
}

// The handler.

void WsSession::start(WsPurpose purpose) {
  if (purpose.own != nullptr) {
    served_by_ = ServedBy::own_callbacks;
    callbacks_ = purpose.own.release();
  } else if (purpose.shared != nullptr) {
    callbacks_ = purpose.shared;
  } else {
    make_coroutine().starting = std::make_unique<WsHandler>(std::move(purpose.handler));
  }
  // Start later, because the upgrade is still in progress.
  defer();
}

WebSocket WsSession::hand_out() {
  make_coroutine();
  is_started_ = true;
  return WebSocket(*this);
}

void WsSession::begin_handler() noexcept {
  if (is_started_) [[likely]] {
    return;
  }
  // Set the flag first, because the handler may call functions of this session.
  is_started_ = true;
  guard([this] {
    if (callbacks() != nullptr) {
      owes_closed_ = true;
      if (callbacks_->opened) {
        callbacks_->opened(*this);
      }
      return;
    }
    const std::unique_ptr<WsHandler> handler = std::move(coroutine_->starting);
    Task<>& task = coroutine_->task;
    task = (*handler)(WebSocket(*this));
    if (task.start()) {
      defer();
    } else {
      task.tell(*coroutine_);
    }
  });
}

void WsSession::end_task() noexcept {
  if (coroutine() == nullptr || !coroutine_->task.is_done()) {
    return;
  }
  // Log its exception before the connection is closed with 1011.
  guard([this] { coroutine_->task.take(); });
  // Destroy the task before closing, which may end the session's wait for it.
  coroutine_->task = Task<>();
  begin_closing(CloseCode::normal, {});
  has_closed_ = true;
}

void WsSession::tell_closed() noexcept {
  if (!owes_closed_) {
    return;
  }
  // Called only once, even if the callback closes the connection again.
  owes_closed_ = false;
  if (callbacks_->closed) {
    guard([this] { callbacks_->closed(*this); });
  }
}

void WsSession::end_handler() noexcept {
  // Destroy the task first: a callback must not find it.
  if (coroutine() != nullptr) {
    coroutine_->task = Task<>();
  }
  tell_closed();
}

void WsSession::close(CloseCode code, std::string_view reason) {
  if (!ws::is_sendable(code)) {
    throw std::invalid_argument("the close code is not allowed to be sent");
  }
  begin_closing(code, reason);
  has_closed_ = true;
}

// For the waiting coroutine.

bool WsSession::has_news() {
  if (inbox() != nullptr && inbox()->empty()) {
    // The handler has received all messages: free the memory, and respond to the peer's close
    // frame.
    output_.shared().give_back(std::move(coroutine_->inbox));
    coroutine_->held.set(0);
    respond_to_close();
  }
  return is_end_told() || (inbox() != nullptr && !has_closed_ && !is_held_back_);
}

std::optional<WsMessage> WsSession::take() {
  if (inbox() == nullptr || has_closed_) {
    return std::nullopt;
  }
  const auto message = inbox()->take();
  coroutine_->held.set(inbox()->held_bytes());
  // There may be room for more messages now.
  read_on();
  return message;
}

}  // namespace eider::ws::detail
