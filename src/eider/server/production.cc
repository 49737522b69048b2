#include "eider/server/production.h"

#include <optional>
#include <stdexcept>
#include <utility>

#include "eider/server/exchange.h"

namespace eider::detail::server {

namespace {

/// If more than this is corked, it is sent before the end of the turn.
constexpr std::size_t kCorkBytesMax = 64UL * 1024;
/// After this many bytes, other connections get a turn, even if the client reads fast.
constexpr std::size_t kTurnBytesMax = 512UL * 1024;

}  // namespace

/// The producer as seen by a wrapper: it already runs.
class Production::Inner final : public ProducedContent {
 public:
  explicit Inner(Production& production) noexcept : production_(production) {
    production_.inner_ = this;
  }
  ~Inner() override { production_.inner_ = nullptr; }
  [[nodiscard]] Task<> produce(BodyWriter& out) override {
    production_.attach(out);
    // Wait for the end of the producer: the wrapper writes its last bytes after it.
    co_await production_.is_produced_.wait();
  }
  [[nodiscard]] std::optional<std::uint64_t> length() const noexcept override {
    return production_.content_->length();
  }
  [[nodiscard]] bool is_live() const noexcept override { return production_.content_->is_live(); }

 private:
  Production& production_;
};

void Production::Front::flush() {
  production_.finish_and_wrap();
  if (production_.target_ != nullptr) {
    production_.target_->flush();
  }
}

AsyncEvent& Production::Front::room() noexcept {
  const bool is_wrapped = production_.target_ != nullptr && production_.target_ != &production_;
  return is_wrapped ? production_.target_->room() : production_.room_;
}

void Production::start() {
  // Set the room before the producer starts, or its first write would wait forever.
  room_.set();
  try {
    producing_ = content_->produce(front_);
    if (!producing_.start()) {
      producing_.tell(*this);
      return;
    }
  } catch (...) {
    failure_ = std::current_exception();
  }
  // Notified in the next round, even if the producer has ended at once: the owner may destroy this.
  is_yielding_ = false;
  loop_.defer(*this);
}

void Production::go_on() noexcept {
  // If the producer yields, its next turn sets the room.
  if (std::exchange(is_blocked_, false) && !is_yielding_) {
    room_.set();
  }
}

void Production::stop() {
  // Called from the loop or from a timer, so the producer does not destroy itself.
  producing_ = Task<>();
  is_yielding_ = false;
  loop_.defer(*this);
}

// Called at the end of the producer, or of its wrapper.
void Production::on_task_done() noexcept {
  is_yielding_ = false;
  loop_.defer(*this);
}

// Either the yielded turn is over, or a task has ended: first the producer, then the wrapper, which
// may still write buffered data.
void Production::run() {
  turn_bytes_ = 0;
  if (std::exchange(is_yielding_, false)) {
    if (!is_blocked_) {
      room_.set();
    }
    return;
  }
  if (!failure_ && !is_replaced_ && !is_produced_.is_set()) {
    end_producing();
  }
  const bool is_wrapping = !wrapping_.is_empty() && !wrapping_.is_done();
  if (is_wrapping && !failure_ && !is_replaced_) {
    return;
  }
  take_outcome(wrapping_);
  check_length();
  // Before the owner, which may destroy this: the producer's frame refers to members.
  producing_ = Task<>();
  owner_.on_produced();
}

/// Ends the producer, so that the wrapper writes its buffered data.
void Production::end_producing() noexcept {
  take_outcome(producing_);
  if (!failure_ && is_draining_ && !has_head_alone() && ending_ == Ending::whole) {
    put_last_words();
  }
  if (!failure_) {
    finish_and_wrap();
    is_produced_.set();
  }
}

void Production::put_last_words() noexcept {
  try {
    put_produced(content_->last_words());
  } catch (...) {
    failure_ = std::current_exception();
  }
}

void Production::take_outcome(Task<>& task) noexcept {
  if (failure_ || task.is_empty() || !task.is_done()) {
    return;
  }
  try {
    task.take();
  } catch (...) {
    failure_ = std::current_exception();
  }
}

void Production::check_length() noexcept {
  const bool is_short = has_begun_ ? left_.value_or(0) != 0
                                   : !has_head_alone() && content().length().value_or(0) != 0;
  if (!failure_ && !is_replaced_ && is_short) {
    failure_ = std::make_exception_ptr(
        std::length_error("the response body is shorter than its announced length"));
  }
}

// The headers.

void Production::finish_head() {
  is_head_finished_ = true;
  head_.set_content(std::make_unique<Inner>(*this));
  owner_.finish_head();
  is_replaced_ = content_as<ProducedContent>(head_) == nullptr;
  if (is_replaced_) {
    return;
  }
  auto content = std::get<ContentPtr<ProducedContent>>(head_.take_content());
  if (content.get() != inner_) {
    wrapped_ = std::move(content);
  }
}

/// Called before the first byte, or if there is none. Must not throw: the producer, which writes,
/// would take the exception for its own.
void Production::finish_and_wrap() noexcept {
  if (is_head_finished_) {
    return;
  }
  try {
    finish_head();
    if (wrapped_ != nullptr) {
      wrap_around();
    } else if (!is_replaced_) {
      target_ = this;
    }
  } catch (...) {
    failure_ = std::current_exception();
  }
  if (failure_ || is_replaced_) {
    room_.reset();  // the producer is destroyed in the next round, not while it writes
    is_yielding_ = false;
    loop_.defer(*this);
  }
}

void Production::wrap_around() {
  wrapping_ = wrapped_->produce(*this);
  if (wrapping_.start()) {
    loop_.defer(*this);
  } else {
    wrapping_.tell(*this);
  }
}

void Production::attach(BodyWriter& target) {
  target_ = &target;
  if (!early_.empty()) {
    target.put(early_.view());
    early_.release();
  }
}

void Production::put_produced(std::string_view bytes) {
  if (bytes.empty()) {
    return;
  }
  finish_and_wrap();
  if (target_ != nullptr) {
    target_->put(bytes);
  } else if (!failure_ && !is_replaced_) {
    early_.append(bytes);
  }
}

void Production::begin() {
  if (std::exchange(has_begun_, true)) {
    return;
  }
  const std::optional<std::uint64_t> length = content().length();
  // A producer that sets 204 and still writes has exceeded a length of zero.
  left_ = has_head_alone() ? 0 : length;
  owner_.send_head(length, has_head_alone() ? Follows::nothing : Follows::content);
}

void Production::put(std::string_view bytes) {
  if (bytes.empty()) {
    return;
  }
  begin();
  count(bytes.size());  // before the bytes, which the client would read as the next response
  turn_bytes_ += bytes.size();
  // A small event also waits if earlier ones do, or they would accumulate without limit.
  if (transport_.put(bytes) >= kCorkBytesMax || transport_.is_waiting()) {
    give_way();
  }
}

void Production::count(std::size_t bytes) {
  if (left_ && bytes > *left_) {
    throw std::length_error("the response body is longer than its announced length");
  }
  if (left_) {
    *left_ -= bytes;
  }
  content_bytes_ += bytes;
}

void Production::give_way() {
  if (!transport_.flush()) {
    room_.reset();
    if (!std::exchange(is_blocked_, true)) {
      transport_.on_blocked();
    }
  } else if (turn_bytes_ >= kTurnBytesMax && !is_yielding_) {
    room_.reset();
    is_yielding_ = true;
    loop_.defer(*this);
  }
}

void Production::add_trailer(std::string_view name, std::string_view value) {
  trailers_.add_header(name, value);
  if (!trailers_.content_type().empty()) {
    // RFC 9110, section 6.5.1: after the body, the client no longer needs its type.
    trailers_.set_static_type({});
    throw std::invalid_argument("Content-Type cannot be a trailer");
  }
}

}  // namespace eider::detail::server
