#include "eider/server/request_content.h"

#include <algorithm>
#include <string>
#include <utility>

#include "eider/core/base/failure.h"
#include "eider/io/runtime/loop.h"
#include "eider/server/exchange.h"

namespace eider::detail::server {

namespace {

/// How many bytes are received before the handler needs them.
constexpr std::size_t kAheadBytesMax = 64UL * 1024;
constexpr int kContinue = 100;

}  // namespace

void Inbox::begin(const RequestHead& head) {
  is_over_ = head.body == BodyKind::none;
  if (head.body != BodyKind::chunked) {
    length_ = head.content_length;
  }
  if (is_over_) {
    arrival_.set();
  }
}

void Inbox::put(std::string_view content) {
  if (is_over_) {
    return;
  }
  const bool is_lent = borrow(content);
  // If these bytes are rejected, the handler first gets the bytes that were collected before.
  if (const auto refused = is_lent ? body_.count(content.size()) : body_.add(content)) {
    if (is_lent) {
      loan_.end();
    }
    fail(*refused);
    return;
  }
  has_lent_ = has_lent_ || is_lent;
  if (has_news()) {
    arrival_.set_after_event();
  }
}

bool Inbox::borrow(std::string_view content) {
  // Nothing is lent after copied bytes, so that the order stays, or while the handler is busy with
  // an earlier part. The handler may start in this event: then it has not called `want` yet.
  return !is_gathering_ && !loan_.is_open() && waiting_bytes() == 0 &&
         (arrival_.is_awaited() || !is_wanted_) && Loop::current().lend(content, loan_);
}

void Inbox::end(std::string_view trailer_lines) {
  trailers_ = trailer_lines;
  is_over_ = true;
  arrival_.set();
}

void Inbox::fail(const RequestRefusal& refusal) {
  is_over_ = true;
  error_ = Error(refusal.status, std::string(refusal.text));
  arrival_.set();
}

void Inbox::want() noexcept {
  // The call means that the handler no longer uses the last part.
  if (!has_lent_) {
    loan_.end();
  }
  if (!std::exchange(is_wanted_, true)) {
    owner_.on_content_wanted();
  }
}

std::string_view Inbox::take() {
  const bool is_lent = std::exchange(has_lent_, false);
  if (!is_lent) {
    loan_.end();
  }
  if (!is_lent && waiting_bytes() == 0) {
    if (error_) {
      throw Failure(*error_);
    }
    return {};
  }
  // The handler now owns the last piece, so the memory of its view is reused.
  if (!is_lent) {
    body_.take(given_);
  }
  // The event stays set at the end, or if bytes arrived after the lent part: the next call must not
  // wait for them.
  if (!is_over_ && waiting_bytes() == 0) {
    arrival_.reset();
  }
  owner_.on_content_taken();
  return is_lent ? loan_.view() : given_.view();
}

void Inbox::gather() noexcept {
  // From here on, a piece does not set the event; the end does.
  is_gathering_ = true;
  if (std::exchange(has_lent_, false)) {
    const auto refused = body_.add_first(loan_.view());
    loan_.end();
    if (refused) {
      fail(*refused);
    }
  }
  if (is_over_) {
    return;
  }
  arrival_.reset();  // pieces may have set it
  want();
  owner_.on_content_taken();  // reading is only paused for handlers that read piece by piece
}

std::string_view Inbox::gathered() {
  if (error_) {
    throw Failure(*error_);
  }
  return body_.view();
}

void Inbox::abandon() noexcept {
  if (!is_over_) {
    fail(kBodyTooSlow);
  }
}

void Inbox::reset() noexcept {
  loan_.end();
  has_lent_ = false;
  given_.reset();
  arrival_.reset();
  length_.reset();
  error_.reset();
  trailers_ = std::string();
  is_over_ = true;
  is_wanted_ = false;
  is_gathering_ = false;
}

bool RequestContent::begin(const RequestPlan& plan, const RequestHead& head, Transport& transport,
                           bool has_begun) {
  transport_ = &transport;
  may_ask_ = head.expects_continue;
  if (plan.streams_body) {
    // The inbox limits the collected bytes, so no memory is reserved.
    body_.begin(plan.body_bytes_max, 0);
    inbox_.begin(head);
    return true;
  }
  if (head.body == BodyKind::none || plan.ignores_body) {
    return true;
  }
  body_.begin(plan.body_bytes_max, head.content_length);
  is_awaited_ = true;
  watch();
  // RFC 9110, 10.1.1: 100 Continue may be omitted if some of the body has arrived.
  if (!has_begun) {
    ask();
  }
  return false;
}

bool RequestContent::take(std::string_view content) {
  if (!is_awaited_) {
    inbox_.put(content);
    if (inbox_.is_over()) {
      watch_nothing();
    }
    return false;
  }
  const std::optional<RequestRefusal> refused = body_.add(content);
  return refused && refuse(*refused);
}

// Remove the deadline first: the request is handled afterwards, and its response sets its own.
bool RequestContent::take_end(std::string_view trailer_lines) {
  watch_nothing();
  if (!is_awaited_) {
    inbox_.end(trailer_lines);
  }
  return std::exchange(is_awaited_, false);
}

bool RequestContent::fail(const RequestRefusal& refusal) {
  if (is_awaited_) {
    return refuse(refusal);
  }
  inbox_.fail(refusal);
  watch_nothing();
  return false;
}

bool RequestContent::refuse(const RequestRefusal& refusal) noexcept {
  watch_nothing();
  is_awaited_ = false;
  refusal_ = refusal;
  return true;
}

// The minimum rate applies only if the client may send and the server reads.
bool RequestContent::check() {
  if (!is_taken()) {
    watch_nothing();
    return false;
  }
  // While the server stops, any byte in a shorter time is progress.
  const std::uint64_t least =
      context_.is_waited_for ? 1 : context_.limits.body_bytes_least(context_.loop.now());
  if (body_.bytes() - progress_ >= least || !transport_->may_send()) {
    watch();
    return false;
  }
  return fail(kBodyTooSlow);
}

bool RequestContent::is_full() const noexcept {
  return !is_gathering() && !inbox_.is_over() && inbox_.waiting_bytes() >= kAheadBytesMax;
}

void RequestContent::on_content_wanted() {
  if (inbox_.is_over() || transport_ == nullptr) {
    return;
  }
  // A body that is already arriving needs no 100 Continue (RFC 9110, 10.1.1).
  if (body_.bytes() == 0) {
    ask();
  }
  watch();
}

void RequestContent::on_content_taken() {
  if (transport_ == nullptr) {
    return;
  }
  // Taking bytes does not restart a running interval, or a very slow client could prolong it with
  // each byte.
  const bool was_held_up = !transport_->may_send();
  transport_->on_content_taken();
  if (was_held_up && !inbox_.is_over()) {
    watch();
  }
}

void RequestContent::ask() {
  if (std::exchange(may_ask_, false)) {
    transport_->inform(kContinue, {});
  }
}

void RequestContent::watch() {
  progress_ = body_.bytes();
  const Duration within = context_.is_waited_for
                              ? std::min(context_.limits.body, kSilenceWhileStopping)
                              : context_.limits.body;
  transport_->watch(context_.loop.now() + within);
}

void RequestContent::watch_nothing() noexcept {
  transport_->watch(Instant::max());
}

void RequestContent::abandon() noexcept {
  // Clear the transport first: a handler that wakes up must not use the disconnected client.
  transport_ = nullptr;
  inbox_.abandon();
}

void RequestContent::reset() noexcept {
  // As in `abandon`: the calls below must not use the transport.
  transport_ = nullptr;
  inbox_.reset();
  body_.reset();
  refusal_.reset();
  is_awaited_ = may_ask_ = false;
}

}  // namespace eider::detail::server
