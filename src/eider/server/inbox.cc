#include "eider/server/inbox.h"

#include <string>
#include <utility>

#include "eider/core/base/failure.h"

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
  // A content that is refused keeps what was gathered: the handler takes that first.
  if (const auto refused = body_.add(content)) {
    fail(*refused);
  } else if (has_news()) {
    arrival_.set();
  }
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
  if (!std::exchange(is_wanted_, true)) {
    owner_.on_content_wanted();
  }
}

std::string_view Inbox::take() {
  if (waiting_bytes() == 0) {
    if (error_) {
      throw Failure(*error_);
    }
    return {};
  }
  // The last piece is the handler's now, so the memory that it viewed is reused.
  body_.take(given_);
  // An end stays set: those who ask again must not wait for it.
  if (!is_over_) {
    arrival_.reset();
  }
  owner_.on_content_taken();
  return given_.view();
}

void Inbox::gather() noexcept {
  // From here on a piece is no news; the end that comes sets the event again.
  is_gathering_ = true;
  if (is_over_) {
    return;
  }
  arrival_.reset();  // some may have come
  want();
  owner_.on_content_taken();  // what holds the client up is for handlers that take piece by piece
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
