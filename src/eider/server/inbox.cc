#include "eider/server/detail/inbox.h"

#include <string>
#include <utility>

#include "eider/base/failure.h"

namespace eider::detail {

namespace {

/// A larger buffer is given back when its request is done.
constexpr std::size_t kKeptBytesMax = 16UL * 1024;

Error error_of(h1::Refusal refusal) {
  const h1::RefusalInfo& info = h1::refusal_info(refusal);
  return {info.status, std::string(info.text)};
}

}  // namespace

void Inbox::begin(const RequestHead& head, std::size_t bytes_max, ExchangeOwner& owner) {
  owner_ = &owner;
  is_over_ = head.body == BodyKind::none;
  if (head.body != BodyKind::chunked) {
    length_ = head.content_length;
  }
  if (is_over_) {
    arrival_.set();
  } else {
    body_.begin(head, bytes_max);
  }
}

std::size_t Inbox::read(std::string_view in) {
  const BodyStep step = body_.read(in);
  switch (step.status) {
    case BodyStatus::need_more:
      break;
    case BodyStatus::complete:
      is_over_ = true;
      break;
    case BodyStatus::refused:
      fail(body_.refusal());
      break;
  }
  if (has_news()) {
    arrival_.set();
  }
  return step.consumed;
}

void Inbox::put(std::string_view content) {
  if (!is_over_ && body_.gather(content) == BodyStatus::refused) {
    fail(body_.refusal());
  }
  if (has_news()) {
    arrival_.set();
  }
}

void Inbox::end() {
  is_over_ = true;
  arrival_.set();
}

void Inbox::fail(h1::Refusal refusal) {
  is_over_ = true;
  error_ = error_of(refusal);
  arrival_.set();
}

void Inbox::want() noexcept {
  if (!std::exchange(is_wanted_, true) && owner_ != nullptr) {
    owner_->on_content_wanted();
  }
}

std::string_view Inbox::take() {
  if (waiting_bytes() == 0) {
    if (error_) {
      throw Failure(*error_);
    }
    return {};
  }
  body_.take(given_);
  if (!is_over_) {
    arrival_.reset();
  }
  owner_->on_content_taken();
  return given_.view();
}

void Inbox::reset() noexcept {
  owner_ = nullptr;
  if (given_.capacity() > kKeptBytesMax) {
    given_.release();
  } else {
    given_.clear();
  }
  arrival_.reset();
  length_.reset();
  error_.reset();
  is_over_ = true;
  is_wanted_ = false;
}

}  // namespace eider::detail
