#include "eider/server/detail/production.h"

#include <stdexcept>
#include <utility>

namespace eider::detail {

namespace {

/// More than this is sent before the turn ends.
constexpr std::size_t kCorkBytesMax = 64UL * 1024;
/// After this much others have their turn, however fast the client reads.
constexpr std::size_t kTurnBytesMax = 512UL * 1024;

}  // namespace

void Production::start() {
  room_.set();
  try {
    task_ = content_->produce(*this);
    if (!task_.start()) {
      task_.tell(*this);
      return;
    }
  } catch (...) {
    failure_ = std::current_exception();
  }
  loop_.defer(*this);
}

void Production::go_on() noexcept {
  if (std::exchange(is_blocked_, false) && !is_yielding_) {
    room_.set();
  }
}

void Production::stop() {
  task_ = Task<>();
  is_yielding_ = false;
  loop_.defer(*this);
}

void Production::on_task_done() noexcept {
  is_yielding_ = false;
  loop_.defer(*this);
}

void Production::run() {
  turn_bytes_ = 0;
  if (std::exchange(is_yielding_, false)) {
    if (!is_blocked_) {
      room_.set();
    }
    return;
  }
  if (!task_.is_empty()) {
    take_outcome();
  }
  owner_.on_produced(*this);
}

void Production::take_outcome() noexcept {
  try {
    task_.take();
    if (framing_ == h1::Framing::sized && left_ != 0) {
      throw std::length_error("the content ended before the length that it had announced");
    }
  } catch (...) {
    failure_ = std::current_exception();
  }
}

void Production::begin() {
  has_begun_ = true;
  left_ = content_->length().value_or(0);
  framing_ = owner_.on_content_begins(*this);
}

void Production::put(std::string_view bytes) {
  if (bytes.empty()) {
    return;
  }
  if (!has_begun_) {
    begin();
  }
  switch (framing_) {
    case h1::Framing::none:
      owner_.content_output().append(bytes);
      break;
    case h1::Framing::sized:
      put_sized(bytes);
      break;
    case h1::Framing::chunked:
      h1::write_chunk(owner_.content_output(), bytes);
      break;
  }
  turn_bytes_ += bytes.size();
  // Also a small event waits while earlier ones do, or they would gather without a bound.
  if (owner_.content_output().size() >= kCorkBytesMax || owner_.is_content_waiting()) {
    give_way();
  }
}

void Production::put_sized(std::string_view bytes) {
  if (bytes.size() > left_) {
    throw std::length_error("there is more content than the length that it had announced");
  }
  left_ -= bytes.size();
  owner_.content_output().append(bytes);
}

void Production::give_way() {
  if (!owner_.flush_content()) {
    room_.reset();
    if (!std::exchange(is_blocked_, true)) {
      owner_.on_content_blocked();
    }
  } else if (turn_bytes_ >= kTurnBytesMax && !is_yielding_) {
    room_.reset();
    is_yielding_ = true;
    loop_.defer(*this);
  }
}

void Production::add_trailer(std::string_view name, std::string_view value) {
  trailers_.add_header(name, value);
}

void Production::write_end() {
  if (!has_begun_) {
    begin();
  }
  if (framing_ != h1::Framing::chunked) {
    return;
  }
  Buffer& out = owner_.content_output();
  out.append("0\r\n");
  out.append(trailers_.field_lines());
  out.append("\r\n");
}

}  // namespace eider::detail
