#include "eider/io/runtime/tcp.h"

#include <utility>

namespace eider {

namespace {

void wake_all(detail::runtime::Waiter::List& waiters) noexcept {
  while (detail::runtime::Waiter* waiter = waiters.front()) {
    waiter->wake();
  }
}

}  // namespace

TcpStream::TcpStream(Loop& loop, Descriptor fd) : stream_(loop, *this) {
  stream_.open(std::move(fd));
  stream_.read_while_waiting();
}

TcpStream::~TcpStream() = default;

void TcpStream::secure(std::unique_ptr<Seal> seal) {
  // Received bytes that were not read are the first ciphertext of the handshake.
  stream_.secure(std::move(seal), arrived_.view());
  arrived_.clear();
  stream_.resume_reading();
}

void TcpStream::unread(std::string_view bytes) {
  if (bytes.empty()) {
    return;
  }
  Buffer all;
  all.append(bytes);
  all.append(arrived_.view());
  arrived_.swap(all);
}

void TcpStream::hand_over(StreamOwner& owner) {
  owner_ = &owner;
  // Tasks no longer read, so the result of the last `read` is not needed.
  given_.release();
  if (has_news()) {
    stream_.loop().defer(*this);
  }
}

/// Reports earlier events in order. The owner may destroy this object.
void TcpStream::run() {
  if (!arrived_.empty()) {
    Buffer arrived;
    arrived.swap(arrived_);
    if (has_news()) {
      stream_.loop().defer(*this);  // its end is reported in the next round
    } else {
      stream_.resume_reading();  // it was paused because too much had arrived
    }
    // Use nothing after this call: the owner may destroy the connection.
    return owner_->on_bytes(arrived.view());
  }
  if (stream_.is_open()) {
    return owner_->on_end();
  }
  if (error_ == NetError::insecure) {
    return owner_->on_insecure(why_insecure_);
  }
  if (error_ != NetError::closed) {  // `closed` is the owner's own action
    owner_->on_broken(error_);
  }
}

void TcpStream::on_bytes(std::string_view bytes) {
  if (is_handed_over()) [[likely]] {
    return owner_->on_bytes(bytes);
  }
  arrived_.append(bytes);
  if (arrived_.size() >= kAheadBytesMax) {
    stream_.pause_reading();
  }
  wake_all(readers_);
}

void TcpStream::on_end() {
  if (is_handed_over()) {
    return owner_->on_end();
  }
  // Wake both kinds of waiters: the end also ends a handshake.
  has_ended_ = true;
  wake_all(handshakes_);
  wake_all(readers_);
}

void TcpStream::on_drained() {
  if (owner_ != nullptr) {
    return owner_->on_drained();
  }
  wake_all(writers_);
}

void TcpStream::on_secured() {
  is_secured_ = true;
  wake_all(handshakes_);
}

void TcpStream::on_broken(NetError error) {
  if (is_handed_over()) {
    return owner_->on_broken(error);
  }
  lose(error);
}

void TcpStream::on_insecure(std::string_view why) {
  if (is_handed_over()) {
    return owner_->on_insecure(why);
  }
  why_insecure_ = why;
  lose(NetError::insecure);
}

void TcpStream::lose(NetError error) noexcept {
  error_ = error;
  wake_all(handshakes_);
  wake_all(readers_);
  wake_all(writers_);
}

Result<std::string_view, NetError> TcpStream::take_arrived() {
  // The view of the last `read` ends here; its memory is reused for the next bytes.
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

// Returns whether there is nothing to wait for, for example because the connection was lost.
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
  // The stream does not report a close by its own side, so wake the waiting tasks here.
  stream_.close();
  lose(NetError::closed);
}

}  // namespace eider
