#include "eider/runtime/tcp.h"

#include <utility>

namespace eider {

namespace {

void wake_all(detail::Waiter::List& waiters) noexcept {
  while (detail::Waiter* waiter = waiters.front()) {
    waiter->wake();
  }
}

}  // namespace

TcpStream::TcpStream(Loop& loop, Descriptor fd) : stream_(loop, *this) {
  stream_.open(std::move(fd));
}

TcpStream::~TcpStream() = default;

void TcpStream::on_bytes(std::string_view bytes) {
  arrived_.append(bytes);
  if (arrived_.size() >= kAheadBytesMax) {
    stream_.pause_reading();
  }
  wake_all(readers_);
}

void TcpStream::on_end() {
  has_ended_ = true;
  wake_all(readers_);
}

void TcpStream::on_drained() {
  wake_all(writers_);
}

void TcpStream::on_broken(NetError error) {
  lose(error);
}

void TcpStream::lose(NetError error) noexcept {
  error_ = error;
  wake_all(readers_);
  wake_all(writers_);
}

Result<std::string_view, NetError> TcpStream::take_arrived() {
  given_.clear();
  given_.swap(arrived_);
  if (given_.empty() && !has_ended_) {
    return fail(error_);
  }
  if (stream_.is_open()) {
    stream_.resume_reading();
  }
  return given_.view();
}

// Whether there is nothing to wait for, be it that the connection is gone.
bool TcpStream::try_write(std::string_view bytes) {
  if (!stream_.is_open()) {
    return true;
  }
  Buffer& output = stream_.output();
  output.append(bytes);
  if (output.size() < kAheadBytesMax && stream_.waiting_bytes() == 0) {
    return true;
  }
  return stream_.flush() || !stream_.is_open();
}

void TcpStream::end() {
  if (stream_.is_open()) {
    stream_.end();
  }
}

void TcpStream::close() noexcept {
  stream_.close();
  lose(NetError::closed);
}

}  // namespace eider
