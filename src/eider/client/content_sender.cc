#include "eider/client/content_sender.h"

#include <coroutine>
#include <utility>

#include "eider/io/runtime/deadline.h"
#include "eider/io/runtime/loop.h"
#include "eider/io/runtime/sleep.h"
#include "eider/io/runtime/task.h"

namespace eider::detail::client {

/// `co_await either` continues when the first of both tasks has ended. Destroy the other one before
/// waiting for anything else.
///
/// Pre: both were started.
template <class A, class B>
class Either {
 public:
  Either(Task<A>& one, Task<B>& other) noexcept : one_(one), other_(other) {}

  bool await_ready() const noexcept { return one_.is_done() || other_.is_done(); }
  void await_suspend(std::coroutine_handle<> waiting) noexcept {
    one_.resume_at_end(waiting);
    other_.resume_at_end(waiting);
  }
  void await_resume() const noexcept {}

 private:
  Task<A>& one_;
  Task<B>& other_;
};

namespace {

/// The size of a slice, after which the sender waits until the socket has accepted it.
constexpr std::size_t kSliceBytes = 64UL * 1024;
/// After this many bytes, other tasks get a turn, even if the socket accepts more.
constexpr std::size_t kTurnBytesMax = 256UL * 1024;

Task<> wait_until(ClientExchange& exchange, Condition condition) {
  co_await exchange.until(condition);
}

}  // namespace

Task<ContentSource::Taken> Produced::next() {
  piece_ = co_await parts_.producer();
  bytes_ += piece_.size();
  const std::uint64_t said = parts_.content_length.value_or(bytes_);
  has_wrong_length_ = bytes_ > said || (piece_.empty() && bytes_ != said);
  const bool is_more = !piece_.empty() && !has_wrong_length_;
  co_return is_more ? Taken(piece_) : std::nullopt;
}

std::string_view Produced::flaw() const noexcept {
  return has_wrong_length_ ? "The request body does not have the specified length: omit the "
                             "length, or send as many bytes."
                           : "";
}

void ContentSender::start() {
  running_ = run();
  running_.start();
}

void ContentSender::rethrow() const {
  if (thrown_ != nullptr) {
    std::rethrow_exception(thrown_);
  }
}

Task<> ContentSender::run() {
  try {
    if (terms_.consent != Duration::zero()) {
      co_await wait_for_consent();
    }
    // Choose, then await: g++ 14 evaluates temporaries of both branches of an awaited `?:`.
    auto sending = from_ == nullptr ? send_all() : send_from();
    co_await std::move(sending);
  } catch (...) {
    // Store the exception before the exchange fails, because the failure wakes tasks that read it.
    thrown_ = std::current_exception();
    exchange_.give_up(ClientFault::bad_request, "The request body could not be produced.");
  }
  // Wakes tasks that wait for the end of the body, with any outcome.
  exchange_.note_sent();
}

// RFC 9110, section 10.1.1: some servers do not support it, so the wait is limited.
Task<> ContentSender::wait_for_consent() {
  exchange_.flush();
  co_await with_deadline(wait_until(exchange_, Condition::may_send), terms_.consent);
}

Task<> ContentSender::send_all() {
  while (!content_.empty() && !exchange_.declines_content()) {
    const std::string_view slice = content_.substr(0, kSliceBytes);
    content_.remove_prefix(slice.size());
    // Marks the last piece, so that the end is sent together with it.
    exchange_.send_content(slice, content_.empty() ? Piece::last : Piece::inner);
    if (slice.size() == kSliceBytes) {
      co_await wait_for_room(slice.size());
    }
  }
}

Task<> ContentSender::send_from() {
  while (!exchange_.declines_content()) {
    const auto piece = co_await next();
    // Another attempt cannot read these bytes from the source again.
    has_taken_ |= piece.has_value();
    // A rejection may have arrived while waiting for the source.
    if (exchange_.declines_content()) {
      co_return;
    }
    if (!piece) {
      const std::string_view flaw = from_->flaw();
      flaw.empty() ? exchange_.end_content(from_->trailer_lines())
                   : exchange_.give_up(ClientFault::bad_request, flaw);
      co_return;
    }
    exchange_.send_content(*piece, Piece::inner);
    co_await wait_for_room(piece->size());
  }
}

/// Returns the next piece, or nothing if the server wants no more.
Task<ContentSource::Taken> ContentSender::next() {
  auto taking = from_->next();
  if (!taking.start()) {
    auto watching = wait_until(exchange_, Condition::refusal);
    if (!watching.start()) {
      // The task that has not ended is canceled on return.
      Either either(taking, watching);
      co_await either;
    }
  }
  co_return taking.is_done() ? taking.take() : std::nullopt;
}

// The server may stop reading because our own task does not read its response. A sender that never
// waits would not notice an early rejection, and would give other tasks of this loop no turn.
Task<> ContentSender::wait_for_room(std::size_t sent_bytes) {
  exchange_.flush();
  turn_bytes_ += sent_bytes;
  if (turn_bytes_ >= kTurnBytesMax) {
    turn_bytes_ = 0;
    co_await yield_now();
  }
  for (;;) {
    auto room = exchange_.until(Condition::room);
    if (room.await_ready()) {
      co_return;
    }
    if (terms_.patience == Duration::zero()) {
      co_await room;
      co_return;
    }
    const bool has_come =
        co_await with_deadline(wait_until(exchange_, Condition::room), terms_.patience);
    if (!has_come && !exchange_.is_held_up()) {
      exchange_.give_up(ClientFault::timed_out, terms_.late);
    }
  }
}

}  // namespace eider::detail::client
