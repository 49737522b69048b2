#include "eider/cli/bench/h1_connection.h"

#include <string>

namespace eider::bench {

void H1Connection::send(Sent next) {
  next.sent = stream().loop().now();
  sent_.push(next);
  const std::string_view text = terms_.requests[next.request].text;
  waiting_bytes_ += text.size();
  stream().output().append(text);
}

Sent H1Connection::take_waiting() noexcept {
  const Sent oldest = sent_.pop();
  waiting_bytes_ -= terms_.requests[oldest.request].text.size();
  return oldest;
}

void H1Connection::on_bytes(std::string_view bytes) {
  user().on_received(bytes.size());
  while (!bytes.empty()) {
    if (sent_.size() == 0) [[unlikely]] {
      refuse_surplus();
      return;
    }
    const std::size_t request = sent_.front().request;
    const Scan scan = scanner_.scan(bytes, terms_.requests[request].method, terms_.known[request]);
    bytes.remove_prefix(scan.used);
    if (scan.status == ScanStatus::need_more) {
      break;
    }
    if (scan.status == ScanStatus::refused) [[unlikely]] {
      give_up(Fault::malformed, "What came is no HTTP/1.1 answer: " + scanner_.why());
      return;
    }
    user().on_answer(*this, take_waiting(), scan.code);
    if (!stream().is_open()) {
      return;
    }
    if (!scan.keeps_alive) {
      end_between_answers();
      return;
    }
  }
  if (has_room()) {
    user().on_free(*this);
  }
}

void H1Connection::on_end() {
  if (sent_.size() != 0 && scanner_.may_end()) {
    user().on_answer(*this, take_waiting(), scanner_.code());
  }
  if (!stream().is_open()) {
    return;
  }
  if (scanner_.is_inside() && !scanner_.may_end()) {
    give_up(Fault::closed, "The server closed a connection within an answer.");
  } else {
    end_between_answers();
  }
}

}  // namespace eider::bench
