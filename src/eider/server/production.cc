#include "eider/server/production.h"

#include <optional>
#include <stdexcept>
#include <utility>

namespace eider::detail::server {

namespace {

/// More than this is sent before the turn ends.
constexpr std::size_t kCorkBytesMax = 64UL * 1024;
/// After this much others have their turn, however fast the client reads.
constexpr std::size_t kTurnBytesMax = 512UL * 1024;

}  // namespace

/// The producer as what wraps it sees it: it runs already.
class Production::Inner final : public ProducedContent {
 public:
  explicit Inner(Production& production) noexcept : production_(production) {
    production_.inner_ = this;
  }
  ~Inner() override { production_.inner_ = nullptr; }
  [[nodiscard]] Task<> produce(BodyWriter& out) override {
    production_.attach(out);
    // The end of the producer is awaited here: what wraps it writes its own last bytes behind that.
    auto end = production_.is_produced_.wait();
    co_await end;
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
  // There is room before the producer begins, or its first write would wait for nobody.
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
  // Told in the next round, also of a producer that has ended at once: the owner may destroy this.
  is_yielding_ = false;
  loop_.defer(*this);
}

void Production::go_on() noexcept {
  // While it yields, its next turn opens the room.
  if (std::exchange(is_blocked_, false) && !is_yielding_) {
    room_.set();
  }
}

void Production::stop() {
  // The producer is destroyed outside of itself: this is called from the loop or from a timer.
  producing_ = Task<>();
  is_yielding_ = false;
  loop_.defer(*this);
}

// The producer's end, or that of what wraps it.
void Production::on_task_done() noexcept {
  is_yielding_ = false;
  loop_.defer(*this);
}

// Either the turn that was given to others is over, or something has ended: the producer first,
// then what wraps it, which may still write what it has kept.
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
  // Ahead of the owner, which may destroy this: the producer's frame uses what stands in it.
  producing_ = Task<>();
  owner_.on_produced();
}

/// What wraps the content has kept some of it, and writes that now.
void Production::end_producing() noexcept {
  take_outcome(producing_);
  if (!failure_ && is_draining_ && !has_head_alone()) {
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

// The head.

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

/// Before the first byte, or where there is none. Nothing is thrown here: the producer, which
/// writes, would take it for its own.
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
  // A producer that says "204" and writes all the same has written beyond a length of zero.
  left_ = has_head_alone() ? 0 : length;
  owner_.send_head(length, has_head_alone() ? Follows::nothing : Follows::content);
}

void Production::put(std::string_view bytes) {
  if (bytes.empty()) {
    return;
  }
  begin();
  count(bytes.size());  // ahead of the bytes, which would be the next response for the client
  turn_bytes_ += bytes.size();
  // Also a small event waits while earlier ones do, or they would gather without a bound.
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
    // RFC 9110, section 6.5.1: a client that has read the content needs no word on how.
    trailers_.set_static_type({});
    throw std::invalid_argument("Content-Type cannot be a trailer");
  }
}

}  // namespace eider::detail::server
