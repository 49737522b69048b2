#include "eider/cli/bench/connection.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <string_view>
#include <utility>

#include "eider/client/detail/sealer.h"

namespace eider::bench {

namespace {

/// Requests are small and wait for their answers: what paces large transfers
/// (BBR) is only cost.
void prefer_plain_congestion_control(int fd) noexcept {
  constexpr std::string_view kPlain = "reno";  // every kernel has it
  ::setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, kPlain.data(), kPlain.size());
}

}  // namespace

void Connection::open(Descriptor fd, std::unique_ptr<Seal> seal) {
  settled_.reset();
  is_in_use_ = false;
  prefer_plain_congestion_control(fd.get());
  stream_.open(std::move(fd));
  if (seal) {
    stream_.secure(std::make_unique<detail::ToldSeal>(std::move(seal), why_insecure_));
  } else {
    settle();
  }
}

void Connection::settle() {
  if (begin() == Begun::at_once) {
    tell_ready();
  }
}

void Connection::refuse_surplus() {
  stream_.close();
  fault_ = Fault::malformed;
  why_ = "The server sends bytes that no request asked for.";
  if (is_in_use_) {
    user_.on_surplus(*this);
  }
  tell_gone();
}

void Connection::end_between_answers() {
  give_up(Fault::closed, "The server closed a connection before it had answered all on it.");
}

void Connection::on_broken(NetError error) {
  if (error == NetError::insecure) {
    give_up(Fault::tls, "TLS failed: " + why_insecure_ + ".");
  } else {
    give_up(Fault::reset, "A connection was lost: " + std::string(text(error)) + ".");
  }
}

void Connection::give_up(Fault fault, std::string why) {
  stream_.close();
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
