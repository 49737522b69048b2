#include <unistd.h>

#include <algorithm>

#include "eider/server/http2/send_queue.h"

namespace eider::detail::http2 {

namespace {

/// A larger buffer is freed while its response waits for more data.
constexpr std::size_t kRestingBytesMax = 1024;

std::size_t put_text(char* to, std::size_t bytes, std::string_view text) noexcept {
  return text.copy(to, bytes);
}

}  // namespace

void SendQueue::begin_memory(std::string_view bytes) noexcept {
  kind_ = Kind::memory;
  rest_ = bytes;
}

void SendQueue::begin_shared(std::string_view bytes) noexcept {
  kind_ = Kind::shared;
  rest_ = bytes;
}

void SendQueue::begin_file(const FileContent& content) noexcept {
  kind_ = Kind::file;
  file_ = &content;
  left_ = content.bytes();
}

// Drops sent bytes when they are at least half, so that moving the rest costs no more than writing
// it did.
Buffer& SendQueue::produced() {
  if (used_ == produced_.size()) {
    produced_.clear();
    // Cuts off the sent bytes at the front; the rest moves at most once.
    used_ = 0;
  } else if (used_ > produced_.size() / 2) {
    produced_.consume(used_);
    used_ = 0;
  }
  return produced_;
}

std::uint64_t SendQueue::waiting_bytes() const noexcept {
  switch (kind_) {
    case Kind::none:
      return 0;
    case Kind::memory:
    case Kind::shared:
      return rest_.size();
    case Kind::file:
      return left_;
    case Kind::produced:
      return produced_.size() - used_;
  }
  return 0;
}

h2::Ready SendQueue::ready(std::size_t bytes_max) const noexcept {
  const std::uint64_t all = waiting_bytes();
  const auto bytes = static_cast<std::size_t>(std::min<std::uint64_t>(all, bytes_max));
  // Produced bytes are the last ones only if their producer has ended.
  return {.bytes = bytes, .is_last = bytes == all && (kind_ != Kind::produced || has_ended_)};
}

bool SendQueue::put(char* to, std::size_t bytes) noexcept {
  switch (kind_) {
    case Kind::none:
      return bytes == 0;
    case Kind::memory:
    case Kind::shared:
      rest_.remove_prefix(put_text(to, bytes, rest_));
      return true;
    case Kind::file:
      return put_file(to, bytes);
    case Kind::produced:
      used_ += put_text(to, bytes, produced_.view().substr(used_));
      return true;
  }
  return false;
}

// A file that has become shorter cannot be sent as announced: the stream is reset.
bool SendQueue::put_file(char* to, std::size_t bytes) noexcept {
  // Count before reading: a file that has become shorter resets the stream.
  left_ -= bytes;
  while (bytes != 0) {
    const std::size_t count = put_some(to, bytes);
    if (count == 0) {
      return false;
    }
    to += count;
    bytes -= count;
  }
  return true;
}

std::size_t SendQueue::put_some(char* to, std::size_t bytes) noexcept {
  while (piece_ < file_->pieces().size()) {
    const FileContent::Piece& piece = file_->pieces()[piece_];
    if (at_ < piece.before.size() + piece.bytes) {
      const std::size_t count = put_piece(to, bytes);
      at_ += count;
      return count;
    }
    ++piece_;
    at_ = 0;
  }
  const std::size_t count = put_text(to, bytes, file_->tail().substr(at_));
  at_ += count;
  return count;
}

/// The reads mostly come from the page cache; they are no larger than a frame.
std::size_t SendQueue::put_piece(char* to, std::size_t bytes) noexcept {
  const FileContent::Piece& piece = file_->pieces()[piece_];
  if (at_ < piece.before.size()) {
    return put_text(to, bytes, std::string_view(piece.before).substr(at_));
  }
  const std::uint64_t within = at_ - piece.before.size();
  const auto wanted =
      static_cast<std::size_t>(std::min<std::uint64_t>(bytes, piece.bytes - within));
  const ssize_t got =
      ::pread(file_->file()->get(), to, wanted, static_cast<off_t>(piece.offset + within));
  return got <= 0 ? 0 : static_cast<std::size_t>(got);
}

void SendQueue::release_sent() noexcept {
  // An idle tunnel may last for hours.
  if (waiting_bytes() == 0 && produced_.capacity() > kRestingBytesMax) {
    produced_.release();
    used_ = 0;
  }
}

void SendQueue::reset() noexcept {
  rest_ = {};
  file_ = nullptr;
  piece_ = 0;
  at_ = left_ = 0;
  used_ = 0;
  produced_.reset();
  kind_ = Kind::none;
  has_ended_ = false;
}

}  // namespace eider::detail::http2
