#include "eider/client/detail/line.h"

#include <utility>

#include "eider/client/detail/sealer.h"

namespace eider::detail {

Line::Line(Loop& loop, Descriptor fd, std::unique_ptr<Seal> seal) : stream_(loop, *this) {
  stream_.open(std::move(fd));
  if (seal != nullptr) {
    stream_.secure(std::make_unique<ToldSeal>(std::move(seal), why_insecure_));
  }
}

Line::~Line() = default;

void Line::on_bytes(std::string_view bytes) {
  arrived_.append(bytes);
  if (arrived_.size() >= kAheadBytesMax) {
    stream_.pause_reading();
  }
  readable_.set();
}

void Line::on_end() {
  has_ended_ = true;
  readable_.set();
}

void Line::on_drained() {
  writable_.set();
}

void Line::on_broken(NetError error) {
  lose(error);
}

void Line::lose(NetError error) noexcept {
  error_ = error;
  readable_.set();
  writable_.set();
}

Result<std::string_view, NetError> Line::take_arrived() {
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
bool Line::try_write(std::string_view bytes) {
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

void Line::end() {
  if (stream_.is_open()) {
    stream_.end();
  }
}

void Line::close() noexcept {
  stream_.close();
  lose(NetError::closed);
}

}  // namespace eider::detail
