#include "eider/server/request_content.h"

#include <utility>

#include "eider/server/exchange.h"

namespace eider::detail::server {

namespace {

/// How many bytes are received before the handler needs them.
constexpr std::size_t kAheadBytesMax = 64UL * 1024;
constexpr int kContinue = 100;

}  // namespace

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
  const std::uint64_t least = context_.limits.body_bytes_least(context_.loop.now());
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
  transport_->watch(context_.loop.now() + context_.limits.body);
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
