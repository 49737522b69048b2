#include "cli/bench/terms.h"

#include <cstddef>
#include <string>
#include <utility>

#include "cli/bench/sent_ring.h"

namespace eider::bench {

namespace {

/// An HTTP/1.1 connection, with optional pipelining.
class H1Connection final : public Connection {
 public:
  /// All arguments outlive it.
  H1Connection(ConnectionUser& user, H1Terms& terms)
      : Connection(user),
        terms_(terms),
        scanner_(terms.reader, terms.expected),
        sent_(terms.pipeline) {}

  void send(Sent next) override;
  /// Returns whether the pipeline accepts another request. With large requests it accepts fewer,
  /// because data that the socket does not accept is kept in memory.
  [[nodiscard]] bool has_room() const noexcept override {
    return !is_ending_ &&
           (sent_.size() == 0 || (!sent_.is_full() && waiting_bytes_ < kWaitingBytesMax));
  }
  [[nodiscard]] std::size_t waiting() const noexcept override { return sent_.size(); }
  [[nodiscard]] Instant waiting_since() const noexcept override { return sent_.front().sent; }
  [[nodiscard]] Unfinished unfinished() const noexcept override;

 private:
  static constexpr std::size_t kWaitingBytesMax = std::size_t{64} << 10U;

  Begun begin() override {
    scanner_.reset();
    is_ending_ = false;
    return Begun::at_once;
  }
  Sent take_waiting() noexcept override;
  void on_bytes(std::string_view bytes) override;
  void on_end() override;
  void take_response(int status);
  void judge_response(int status);

  H1Terms& terms_;
  ResponseScanner scanner_;
  SentRing sent_;
  std::size_t waiting_bytes_ = 0;  // of outstanding requests
  bool is_ending_ = false;         // the newest request is the last one of the connection
};

void H1Connection::send(Sent next) {
  next.sent = stream().loop().now();
  sent_.push(next);
  const std::string_view text = terms_.requests[next.request].text;
  is_ending_ = terms_.requests[next.request].is_last;
  waiting_bytes_ += text.size();
  stream().output().append(text);
}

Sent H1Connection::take_waiting() noexcept {
  const Sent oldest = sent_.pop();
  waiting_bytes_ -= terms_.requests[oldest.request].text.size();
  return oldest;
}

Unfinished H1Connection::unfinished() const noexcept {
  const ResponseCheck& check = scanner_.check();
  const bool is_status_right = terms_.expected.status.value_or(scanner_.code()) == scanner_.code();
  return {is_status_right ? check.right_bytes() : 0, check.is_right_so_far()};
}

void H1Connection::take_response(int status) {
  if (scanner_.check().is_looking()) [[unlikely]] {
    judge_response(status);
  } else {
    user().on_response(*this, take_waiting(), status);
  }
}

void H1Connection::judge_response(int status) {
  auto difference = scanner_.check().end(status);
  const Sent sent = take_waiting();
  if (difference) {
    note(std::move(difference->why));
    user().on_failed(*this, sent, difference->fault);
  } else {
    user().on_response(*this, sent, status);
  }
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
      give_up(Fault::malformed, "The server sent an invalid HTTP/1.1 response: " + scanner_.why());
      return;
    }
    take_response(scan.code);
    if (!stream().is_open()) {
      return;
    }
    // If the request asked for the end of the connection, the server may close it without a
    // Connection header.
    if (!scan.keeps_alive || terms_.requests[request].is_last) {
      end_between_responses();
      return;
    }
  }
  if (has_room()) {
    user().on_free(*this);
  }
}

void H1Connection::on_end() {
  if (sent_.size() != 0 && scanner_.may_end()) {
    take_response(scanner_.code());
  }
  if (!stream().is_open()) {
    return;
  }
  if (scanner_.is_inside() && !scanner_.may_end()) {
    give_up(Fault::closed, "The server closed a connection in the middle of a response.");
  } else {
    end_between_responses();
  }
}

}  // namespace

std::unique_ptr<Connection> make_connection(ConnectionUser& user, H1Terms& terms) {
  return std::make_unique<H1Connection>(user, terms);
}

}  // namespace eider::bench
