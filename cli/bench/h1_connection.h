// An HTTP/1.1 connection, with optional pipelining.
// Layering: must not decide what is sent when; its user does.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "cli/bench/connection.h"
#include "cli/bench/requests.h"
#include "cli/bench/response_scanner.h"
#include "cli/bench/sent_ring.h"

namespace eider::bench {

/// Data shared by the connections of one thread.
struct H1Terms {
  /// All arguments outlive it.
  H1Terms(const std::vector<Request>& prepared, unsigned depth, const Expected& owed)
      : requests(prepared), pipeline(depth), expected(owed), known(prepared.size()) {}

  const std::vector<Request>& requests;
  unsigned pipeline;
  const Expected& expected;
  std::vector<KnownHead> known;  // by request
  h1::ResponseReader reader;
};

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

}  // namespace eider::bench
