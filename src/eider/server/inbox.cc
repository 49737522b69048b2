#include "eider/server/inbox.h"

#include <string>
#include <utility>

#include "eider/core/base/failure.h"
#include "eider/io/runtime/loop.h"

namespace eider::detail::server {

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

}  // namespace eider::detail::server
