// One request of an HTTP/2 connection, from its headers to the end of its response.
// Layering: must not write to the socket: its connection does, when the client has made room.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "eider/core/base/intrusive_list.h"
#include "eider/io/runtime/time.h"
#include "eider/protocols/http/h2/session.h"
#include "eider/protocols/http/request.h"
#include "eider/server/exchange.h"
#include "eider/server/http2/response_h2.h"
#include "eider/server/service.h"

namespace eider::detail::http2 {

class StreamH2;

/// The body of one HTTP/2 request as it arrives, with flow control.
class ReceiverH2 {
 public:
  /// stream  must outlive this
  explicit ReceiverH2(StreamH2& stream) noexcept : stream_(stream) {}

  void begin(h2::Ends ends) noexcept { is_over_ = ends == h2::Ends::with_head; }
  void reset() noexcept {
    is_over_ = is_lingering_ = false;
    uncredited_bytes_ = 0;
    bytes_ = 0;
    due_ = linger_due_ = Instant::max();
  }

  /// Passes bytes of the body to the exchange or the tunnel. Unused bytes get no credit, so a
  /// client sends at most its window of them.
  void take(std::string_view bytes);
  void take_end(std::string_view trailer_lines);
  /// Called when the handler has taken the received bytes.
  void on_taken();
  /// Called for bytes of a body that is collected for the handler.
  void note_gathered(std::size_t bytes);
  void forget_gathered() noexcept;
  /// Lets the client send as many bytes again as have arrived.
  void give_credit();

  /// Called when the response was sent and the client still sends. It may read the response only
  /// when it can send, so further bytes get credit and are discarded, for a while.
  void linger();

  /// Sets the time for the next check of the body's rate.
  void watch(Instant due) noexcept { due_ = due; }
  /// Moves the next check, if there is one, to this time or an earlier one.
  void hasten(Instant due) noexcept { due_ = due_ == Instant::max() ? due_ : std::min(due_, due); }
  /// Checks whether the client is too slow, or lingers for too long.
  void check(Instant now);

  [[nodiscard]] bool is_over() const noexcept { return is_over_; }
  /// Returns the number of body bytes received so far.
  [[nodiscard]] std::uint64_t bytes() const noexcept { return bytes_; }
  /// Returns whether the client may send more of the body.
  [[nodiscard]] bool may_send() const noexcept;

 private:
  void take_for_handler(std::string_view bytes);
  void discard(std::size_t bytes);

  StreamH2& stream_;
  bool is_over_ = false;
  bool is_lingering_ = false;
  std::size_t uncredited_bytes_ = 0;
  std::size_t gathered_bytes_ = 0;
  std::size_t lingered_bytes_ = 0;
  std::uint64_t bytes_ = 0;
  Instant due_ = Instant::max();
  Instant linger_due_ = Instant::max();
};

class ConnectionH2;

/// Reused for later requests. The list of which it is a member shows its next step: to be served,
/// to send, or to leave its exchange (see ConnectionH2).
class StreamH2 final : public h2::StreamUser, public ListNode {
 public:
  /// The outcome of a response.
  enum class Outcome : std::uint8_t { answered, cut_off };

  StreamH2() = default;
  ~StreamH2();

  void open(ConnectionH2& connection, h2::StreamId id) noexcept;
  /// Cancels the request, and resets everything. Small buffers are kept.
  void reset() noexcept;

  /// Calls the handler. Pre: it was in the connection's list of ready streams.
  void serve();
  /// Called when the server stops: ends responses without an end.
  void stop_endless();
  /// Checks whether the client is too slow.
  void check(Instant now);

  [[nodiscard]] ConnectionH2& connection() noexcept { return *connection_; }
  [[nodiscard]] h2::StreamId id() const noexcept { return id_; }
  [[nodiscard]] Request& request() noexcept { return request_; }
  [[nodiscard]] ReceiverH2& receiver() noexcept { return receiver_; }
  [[nodiscard]] ResponseH2& response() noexcept { return response_; }
  /// Null if none is needed, or if it has ended.
  [[nodiscard]] server::Exchange* exchange() noexcept { return exchange_.get(); }
  [[nodiscard]] bool takes_content() const noexcept {
    return exchange_ != nullptr && exchange_->content().is_taken();
  }
  [[nodiscard]] bool is_gathering() const noexcept {
    return exchange_ != nullptr && exchange_->content().is_gathering();
  }

  // Calls from the receiver and the response.
  /// Called when the request is complete or rejected: it is served after all received bytes were
  /// read.
  void become_ready();
  /// Makes `response` the response to a rejected request.
  void fill_refusal(const RequestRefusal& refusal, Response& response);
  /// Called when the response outlives the exchange, which is given back.
  void leave_exchange();
  /// Leaves the exchange if it has ended the response. Called when a function of the exchange has
  /// returned: until then the exchange exists.
  void finish_exchange();
  void end_exchange() noexcept;
  /// Reports the request to the observer, unless it was reported.
  void report(Outcome outcome) noexcept;
  void observe(Outcome outcome) noexcept;

  /// Its index in StreamTable, which sets it.
  std::uint32_t index = 0;

 private:
  enum class State : std::uint8_t {
    head,    // receives headers, or a body that is collected
    ready,   // waits to be served
    busy,    // the handler is called, its task runs, or the response is being sent
    closed,  // by the session
  };

  // Calls from the session, within Session::receive and Session::send.
  [[nodiscard]] h2::HeadBuilder& head() noexcept override { return builder_; }
  void on_head(h2::Ends ends) override;
  void on_data(std::string_view bytes) override { receiver_.take(bytes); }
  void on_content_end(std::string_view trailer_lines) override {
    receiver_.take_end(trailer_lines);
  }
  void on_answered() override;
  void on_closed(h2::ErrorCode why) override;
  [[nodiscard]] h2::Ready ready(std::size_t bytes_max) noexcept override {
    return response_.ready(bytes_max);
  }
  [[nodiscard]] bool put(char* to, std::size_t bytes) noexcept override {
    return response_.put(to, bytes);
  }
  [[nodiscard]] std::string_view trailer_lines() const noexcept override {
    return response_.trailer_lines();
  }

  void begin_request(h2::Ends ends);
  [[nodiscard]] bool make_exchange();
  void refuse(const RequestRefusal& refusal);
  void respond_at_once();

  ConnectionH2* connection_ = nullptr;
  h2::StreamId id_ = 0;
  State state_ = State::head;
  bool is_reported_ = true;  // or there is nothing to report
  RequestPlan plan_;
  h2::HeadBuilder builder_;
  Request request_;
  std::optional<RequestRefusal> refusal_;
  std::unique_ptr<server::Exchange> exchange_;
  ReceiverH2 receiver_{*this};
  ResponseH2 response_{*this};
  Instant began_;
};

}  // namespace eider::detail::http2
