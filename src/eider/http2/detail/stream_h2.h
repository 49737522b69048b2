// One request of an HTTP/2 connection, from its head to the end of its answer.
// Must not write to the socket: its connection does, when the client has made room.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "eider/base/intrusive_list.h"
#include "eider/http/h2/session.h"
#include "eider/http/request.h"
#include "eider/http/response.h"
#include "eider/http2/detail/outflow.h"
#include "eider/http2/detail/tunnel_h2.h"
#include "eider/runtime/time.h"
#include "eider/server/detail/exchange.h"
#include "eider/server/detail/exchange_owner.h"
#include "eider/server/service.h"
#include "eider/server/upgrade.h"

namespace eider::detail {

class ConnectionH2;

/// Kept for the next request when its own is done. Being a list's member says what it waits for:
/// to be served, to be sent on, or to be moved off its exchange (see ConnectionH2).
class StreamH2 final : public ContentOwner, public h2::StreamUser, public ListNode {
 public:
  StreamH2() = default;
  ~StreamH2() override;

  void open(ConnectionH2& connection, h2::StreamId id) noexcept;
  /// Ends what goes on, and forgets the request. Small memory is kept.
  void reset() noexcept;
  /// The head of the request that HTTP/1.1 was upgraded with.
  void begin_upgraded(const RequestHead& head);

  /// Calls the handler. Pre: it was in the connection's list of those that are ready.
  void serve();
  /// The answer outlives the exchange from now on, which is given back.
  void leave_exchange();
  /// What was produced has been handed to the session.
  void note_sent_on() noexcept;
  /// The server stops: what has no end of its own ends now.
  void stop_endless();
  /// Looks whether the client is too slow.
  void check(Instant now);

  [[nodiscard]] h2::StreamId id() const noexcept { return id_; }
  [[nodiscard]] bool is_gathering() const noexcept { return state_ == State::gathering; }
  /// Lets the client send as much again as has come.
  void give_credit();

  // Of another protocol on this stream: see TunnelH2.
  void uncork();
  void break_tunnel();
  /// The protocol has closed its line.
  void leave_tunnel() noexcept;

 private:
  friend class ConnectionH2;

  enum class State : std::uint8_t {
    head,        // arrives
    gathering,   // content arrives that the handler gets whole
    ready,       // to be served
    waiting,     // the task of exchange_ runs
    producing,   // the content of the answer is being made
    tunnelling,  // another protocol is spoken
    sending,     // the answer is complete
    lingering,   // the answer has left; what arrives is ignored
    closed,
  };

  // What the session tells and asks.
  [[nodiscard]] h2::HeadBuilder& head() noexcept override { return builder_; }
  void on_head(h2::Ends ends) override;
  void on_data(std::string_view bytes) override;
  void on_content_end() override;
  void on_answered() override;
  void on_closed(h2::ErrorCode why) override;
  [[nodiscard]] h2::Ready ready(std::size_t bytes_max) noexcept override;
  [[nodiscard]] bool put(char* to, std::size_t bytes) noexcept override;
  [[nodiscard]] std::string_view trailer_lines() const noexcept override { return trailers_; }

  // What the exchange and its contents tell and ask.
  void on_answered(Exchange& exchange) override;
  void on_content_wanted() override;
  void on_content_taken() override;
  [[nodiscard]] h1::Framing on_content_begins(const Production& production) override;
  [[nodiscard]] Buffer& content_output() override;
  bool flush_content() override;
  [[nodiscard]] bool is_content_waiting() const noexcept override { return is_stalled_; }
  void on_content_blocked() override {}
  void on_produced(Production& production) override;
  [[nodiscard]] std::string address() const override;
  [[nodiscard]] std::optional<SecuredBy> secured_by() const override;
  void inform(int status, std::string_view field_lines) override;

  // Reading.
  void begin_request(h2::Ends ends);
  void gather(std::string_view bytes);
  void discard(std::size_t bytes);
  void linger();
  void become_ready();
  [[nodiscard]] bool make_exchange();
  [[nodiscard]] bool takes_content() const noexcept;
  void refuse(int status, std::string_view text);

  // Answering.
  void answer(Response& response);
  void begin_tunnel(Response& response, Upgrade& upgrade);
  void refuse_tunnel(Response& response);
  void answer_exchange() { answer(exchange_->response()); }
  void answer_refusal();
  void begin_production(Response& response);
  void send_head(const Response& response, std::optional<std::uint64_t> length, h2::Ends ends);
  void send_fields(std::span<const h2::OutField> usual, std::string_view lines, h2::Ends ends);
  void end_exchange() noexcept;
  [[nodiscard]] Method method() const noexcept { return request_.method(); }

  void watch_body();
  void watch_nothing() noexcept { due_ = Instant::max(); }
  void check_body();
  void check_sending(Instant now);

  ConnectionH2* connection_ = nullptr;
  h2::StreamId id_ = 0;
  State state_ = State::head;
  bool is_content_over_ = false;
  bool is_early_ = false;    // its head began in early data
  bool is_stalled_ = false;  // what is produced waits for the client
  std::uint32_t index_ = 0;  // ConnectionH2's own
  Plan plan_;
  h2::HeadBuilder builder_;
  Request request_;
  Response response_;
  std::optional<h2::HeadRefusal> refusal_;
  std::unique_ptr<Exchange> exchange_;
  Outflow outflow_;
  std::unique_ptr<TunnelH2> tunnel_;  // with a request that opens one
  std::string trailers_;
  std::size_t uncredited_bytes_ = 0;
  std::size_t gathered_bytes_ = 0;
  std::uint64_t sent_bytes_ = 0;
  Instant due_ = Instant::max();
  std::uint64_t progress_ = 0;             // when the span that ends at due_ began
  std::uint64_t connection_progress_ = 0;  // likewise
};

}  // namespace eider::detail
