// What an HTTP/1.1 connection waits for, and until when.
// Must not act on a client that is late: H1 does.
#pragma once

#include <cstdint>

#include "eider/io/runtime/time.h"

namespace eider::detail::server {

class Connection;

class DeadlineH1 {
 public:
  /// What is waited for: see Limits, and H1::on_late for what happens when it does not come.
  enum class Awaits : std::uint8_t {
    first_byte,
    next_request,
    head,
    content,
    reader,  // the client takes what waits for it
    linger,  // the client closes behind the last answer
    probe,   // a client that has closed its half, and may have left, shows itself
    nothing,
  };

  [[nodiscard]] Awaits awaits() const noexcept { return awaits_; }
  void expect(Connection& connection, Awaits what, Instant due);
  void expect_within(Connection& connection, Awaits what, Duration within);
  /// The client has to take what waits, at the pace of Limits.
  void expect_reader(Connection& connection);
  /// A request is answered: the next head gets a span of its own, which the connection sets when
  /// it has read all that is there.
  void note_answered() noexcept {
    awaits_ = Awaits::next_request;
    has_answered_ = true;
  }
  /// Any request, ever.
  [[nodiscard]] bool has_answered() const noexcept { return has_answered_; }
  /// The first bytes are waited for, until the connection's own deadline.
  void begin() noexcept { awaits_ = Awaits::first_byte; }
  /// When to look at a connection that is due then.
  [[nodiscard]] Instant wake_at(const Connection& connection, Instant due) const noexcept;

 private:
  Awaits awaits_ = Awaits::first_byte;
  bool has_answered_ = false;
};

}  // namespace eider::detail::server
