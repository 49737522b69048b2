// An HTTP/2 connection (RFC 9113), with optional concurrent streams.
// Layering: must not decide what is sent when; its user does.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "cli/bench/connection.h"
#include "cli/bench/requests.h"
#include "cli/bench/response_check.h"

struct nghttp2_session;
struct nghttp2_session_callbacks;

namespace eider::bench {

/// streams  maximum number of outstanding requests per connection; the server may allow fewer
/// scheme   "http" or "https"
struct H2Terms {
  const std::vector<Request>& requests;
  unsigned streams;
  std::string_view scheme;
  const Expected& expected;
};

class H2Connection final : public Connection {
 public:
  /// All arguments outlive it.
  H2Connection(ConnectionUser& user, const H2Terms& terms) : Connection(user), terms_(terms) {}

  void send(Sent next) override;
  [[nodiscard]] bool has_room() const noexcept override;
  [[nodiscard]] std::size_t waiting() const noexcept override { return streams_.size(); }
  [[nodiscard]] Instant waiting_since() const noexcept override;

 private:
  friend struct H2Calls;

  /// A request without its response, by the number of its stream.
  ///
  /// body    unsent part of the request body
  /// status  0 until the response headers arrive
  struct Asking {
    Sent sent;
    std::string_view body;
    ResponseCheck check;
    int status = 0;
  };
  struct Closing {
    void operator()(nghttp2_session* session) const noexcept;
  };

  Begun begin() override;
  Sent take_waiting() noexcept override;
  void on_bytes(std::string_view bytes) override;
  void on_end() override { end_between_responses(); }
  void on_drained() override { flush(); }

  void begin_session();
  /// Writes pending data of the session until the socket is full.
  void flush();
  void on_status(std::int32_t id, int status);
  void on_content(std::int32_t id, std::string_view content);
  void on_stream_closed(std::int32_t id, std::uint32_t error);
  void tell_ended();
  void take_response(Asking& asking);

  const H2Terms& terms_;
  std::unique_ptr<nghttp2_session, Closing> session_;
  std::unordered_map<std::int32_t, Asking> streams_;
  std::vector<std::pair<Asking, std::uint32_t>> ended_;  // with the error code
};

}  // namespace eider::bench
