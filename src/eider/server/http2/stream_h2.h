// One request of an HTTP/2 connection, from its headers to the end of its response.
// Layering: must not write to the socket: its connection does, when the client has made room.
#pragma once

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
  /// stream  outlives it
  explicit ReceiverH2(StreamH2& stream) noexcept : stream_(stream) {}

  void begin(h2::Ends ends) noexcept { is_over_ = ends == h2::Ends::with_head; }
  void reset() noexcept {
    is_over_ = is_lingering_ = false;
    uncredited_bytes_ = 0;
    bytes_ = 0;
    due_ = linger_due_ = Instant::max();
  }

  /// Content, for whatever takes it. What nothing takes is not credited, so that a client sends no
  /// more of it than the window that it has.
  void take(std::string_view bytes);
  void take_end(std::string_view trailer_lines);
  /// The handler has taken what had come.
  void on_taken();
  /// Content that a handler gets whole has come.
  void note_gathered(std::size_t bytes);
  void forget_gathered() noexcept;
  /// Lets the client send as much again as has come.
  void give_credit();

  /// The response has left, and the client is still sending: it may read the response only when it
  /// has been let. So what comes is credited and forgotten, for a while.
  void linger();

  /// Content that the handler reads, or gets whole, has to have come on by then.
  void watch(Instant due) noexcept { due_ = due; }
  /// Looks whether the client is too slow, or lingers for too long.
  void check(Instant now);

  [[nodiscard]] bool is_over() const noexcept { return is_over_; }
  /// All content of the request so far.
  [[nodiscard]] std::uint64_t bytes() const noexcept { return bytes_; }
  /// The client is not kept from sending more of it.
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

/// Kept for the next request when its own is done. Being a list's member says what it waits for:
/// to be served, to be sent on, or to be moved off its exchange (see ConnectionH2).
class StreamH2 final : public h2::StreamUser, public ListNode {
 public:
  /// What has become of a response.
  enum class Outcome : std::uint8_t { answered, cut_off };

  StreamH2() = default;
  ~StreamH2();

  void open(ConnectionH2& connection, h2::StreamId id) noexcept;
  /// Ends what goes on, and forgets the request. Small memory is kept.
  void reset() noexcept;

  /// Calls the handler. Pre: it was in the connection's list of those that are ready.
  void serve();
  /// The server stops: what has no end of its own ends now.
  void stop_endless();
  /// Looks whether the client is too slow.
  void check(Instant now);

  [[nodiscard]] ConnectionH2& connection() noexcept { return *connection_; }
  [[nodiscard]] h2::StreamId id() const noexcept { return id_; }
  [[nodiscard]] Request& request() noexcept { return request_; }
  [[nodiscard]] ReceiverH2& receiver() noexcept { return receiver_; }
  [[nodiscard]] ResponseH2& response() noexcept { return response_; }
  /// Null while none is needed, or when it has ended.
  [[nodiscard]] server::Exchange* exchange() noexcept { return exchange_.get(); }
  [[nodiscard]] bool takes_content() const noexcept {
    return exchange_ != nullptr && exchange_->content().is_taken();
  }
  [[nodiscard]] bool is_gathering() const noexcept {
    return exchange_ != nullptr && exchange_->content().is_gathering();
  }

  // What the receiver and the response tell.
  /// The request is complete, or refused: it is served when all that has come was read.
  void become_ready();
  /// Makes `response` the response to a request that is refused.
  void fill_refusal(const RequestRefusal& refusal, Response& response);
  /// The response outlives the exchange from now on, which is given back.
  void leave_exchange();
  void end_exchange() noexcept;
  /// Tells the observer, unless it was told.
  void report(Outcome outcome) noexcept;
  void observe(Outcome outcome) noexcept;

  /// Its place in StreamTable, which alone changes it.
  std::uint32_t index = 0;

 private:
  enum class State : std::uint8_t {
    head,    // arrives, or content that the handler gets whole
    ready,   // to be served
    busy,    // the handler is called, its task runs, or the response is on its way
    closed,  // by the session
  };

  // What the session tells and asks, from within Session::receive and Session::send.
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
  bool is_reported_ = true;  // or there is nothing to be told of
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
