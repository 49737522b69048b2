#include "cli/bench/connection.h"

#include <utility>

namespace eider::bench {

void Connection::open(std::unique_ptr<TcpStream> line) {
  settled_.reset();
  is_in_use_ = false;
  line_ = std::move(line);
  line_->hand_over(*this);
  if (begin() == Begun::at_once) {
    tell_ready();
  }
}

void Connection::refuse_surplus() {
  line_->close();
  fault_ = Fault::malformed;
  why_ = "The server sent bytes without a request.";
  if (is_in_use_) {
    user_.on_surplus(*this);
  }
  tell_gone();
}

void Connection::end_between_responses() {
  give_up(Fault::closed, "The server closed a connection before it responded to all requests.");
}

void Connection::on_broken(NetError error) {
  give_up(Fault::reset, "A connection was lost: " + std::string(text(error)) + ".");
}

void Connection::on_insecure(std::string_view why) {
  give_up(Fault::tls, "TLS failed: " + std::string(why) + ".");
}

void Connection::give_up(Fault fault, std::string why) {
  line_->close();
  why_ = std::move(why);
  fault_ = fault;
  while (waiting() != 0) {
    const Sent unanswered = take_waiting();
    user_.on_failed(*this, unanswered, fault);
  }
  tell_gone();
}

void Connection::tell_gone() {
  settled_.set();
  if (is_in_use_) {
    is_in_use_ = false;
    user_.on_gone(*this);
  }
}

}  // namespace eider::bench
