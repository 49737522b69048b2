#include "kept_connection.h"

#include <utility>

namespace load {

void KeptConnection::open(eider::Descriptor fd) {
  reader_.reset();
  stream_.open(std::move(fd));
}

void KeptConnection::send(std::string_view bytes, unsigned count, eider::Instant due) {
  due_ = due;
  sent_ = std::chrono::steady_clock::now();
  waiting_ = count;
  stream_.output().append(bytes);
}

void KeptConnection::give_up(Failure kind, std::string why) {
  stream_.close();
  why_ = std::move(why);
  owner_.on_gone(*this, std::exchange(waiting_, 0), kind);
}

void KeptConnection::on_bytes(std::string_view bytes) {
  while (!bytes.empty()) {
    if (waiting_ == 0) {
      give_up(Failure::malformed, "bytes that no request asked for");
      return;
    }
    const ReadStep step = reader_.read(bytes);
    bytes.remove_prefix(step.used);
    if (!take_step(step)) {
      return;
    }
  }
}

bool KeptConnection::take_step(const ReadStep& step) {
  if (!step.is_whole) {
    return false;
  }
  if (step.failure == Failure::malformed || step.failure == Failure::closed) {
    give_up(*step.failure, reader_.why());
    return false;
  }
  --waiting_;
  if (step.failure) {
    why_ = reader_.why();
  }
  owner_.on_answer(*this, step.failure);
  if (reader_.closes()) {
    give_up(Failure::closed, "the answer closes the connection");
    return false;
  }
  if (waiting_ == 0) {
    owner_.on_free(*this);
  }
  return is_open();
}

void KeptConnection::on_end() {
  if (waiting_ != 0) {
    const ReadStep step = reader_.end();
    if (step.failure) {
      give_up(*step.failure, reader_.why());
      return;
    }
    --waiting_;  // its body was framed by this end
    owner_.on_answer(*this, step.failure);
  }
  give_up(Failure::closed, "the server closed the connection");
}

void KeptConnection::on_broken(eider::NetError error) {
  give_up(Failure::reset, std::string(eider::text(error)));
}

}  // namespace load
