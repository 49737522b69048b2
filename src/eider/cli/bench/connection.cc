#include "eider/cli/bench/connection.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <string_view>
#include <utility>

#include "eider/client/detail/sealer.h"

namespace eider::bench {

namespace {

/// Requests are small and wait for their answers: what paces large transfers (BBR) is only cost.
void prefer_plain_congestion_control(int fd) noexcept {
  constexpr std::string_view kPlain = "reno";  // every kernel has it
  ::setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, kPlain.data(), kPlain.size());
}

}  // namespace

void Connection::open(Descriptor fd, std::unique_ptr<Seal> seal) {
  scanner_.reset();
  settled_.reset();
  prefer_plain_congestion_control(fd.get());
  stream_.open(std::move(fd));
  if (seal) {
    stream_.secure(std::make_unique<detail::ToldSeal>(std::move(seal), why_insecure_));
  } else {
    settled_.set();
  }
}

void Connection::send(Sent next) {
  std::size_t at = first_ + waiting_;
  at = at < sent_.size() ? at : at - sent_.size();
  next.sent = stream_.loop().now();
  sent_[at] = next;
  ++waiting_;
  const std::string_view text = terms_.requests[next.request].text;
  waiting_bytes_ += text.size();
  stream_.output().append(text);
}

Sent Connection::take_oldest() noexcept {
  const Sent oldest = sent_[first_];
  first_ = first_ + 1 < sent_.size() ? first_ + 1 : 0;
  --waiting_;
  waiting_bytes_ -= terms_.requests[oldest.request].text.size();
  return oldest;
}

void Connection::on_bytes(std::string_view bytes) {
  user_.on_received(bytes.size());
  while (!bytes.empty()) {
    if (waiting_ == 0) [[unlikely]] {
      refuse_surplus();
      return;
    }
    const std::size_t request = oldest().request;
    const Scan scan = scanner_.scan(bytes, terms_.requests[request].method, terms_.known[request]);
    bytes.remove_prefix(scan.used);
    if (scan.status == ScanStatus::need_more) {
      break;
    }
    if (scan.status == ScanStatus::refused) [[unlikely]] {
      give_up(Fault::malformed, "What came is no HTTP/1.1 answer: " + scanner_.why());
      return;
    }
    user_.on_answer(*this, take_oldest(), scan.code);
    if (!stream_.is_open()) {
      return;
    }
    if (!scan.keeps_alive) {
      end_between_answers();
      return;
    }
  }
  if (has_room()) {
    user_.on_free(*this);
  }
}

void Connection::refuse_surplus() {
  stream_.close();
  fault_ = Fault::malformed;
  why_ = "The server sends bytes that no request asked for.";
  user_.on_surplus(*this);
  user_.on_gone(*this);
}

void Connection::end_between_answers() {
  give_up(Fault::closed, "The server closed a connection before it had answered all on it.");
}

void Connection::on_end() {
  if (waiting_ != 0 && scanner_.may_end()) {
    user_.on_answer(*this, take_oldest(), scanner_.code());
  }
  if (!stream_.is_open()) {
    return;
  }
  if (scanner_.is_inside() && !scanner_.may_end()) {
    give_up(Fault::closed, "The server closed a connection within an answer.");
  } else {
    end_between_answers();
  }
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
  while (waiting_ != 0) {
    const Sent unanswered = take_oldest();
    user_.on_failed(*this, unanswered, fault);
  }
  if (settled_.is_set()) {
    user_.on_gone(*this);
  } else {
    settled_.set();  // whoever opens it sees that it is closed
  }
}

}  // namespace eider::bench
