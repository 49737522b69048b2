// One HTTP/1.1 request without an immediate response: its framing in both directions.
// Layering: must not decide about the request: its exchange does.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "eider/protocols/http/h1/content_reader.h"
#include "eider/protocols/http/h1/writer.h"
#include "eider/server/exchange.h"
#include "eider/server/transport.h"

namespace eider::detail::server {

class Connection;
class H1;

/// Whether all of a response is in the cork, or a part was already given to the socket.
enum class Sent : std::uint8_t { corked, partly };

/// The loop keeps it for later requests.
class StreamH1 final : public Transport {
 public:
  /// Takes over the loop's current request. Pre: closed.
  void open(H1& h1, Connection& connection, const RequestPlan& plan,
            std::unique_ptr<Exchange> exchange);
  /// Cancels the request. returns  the exchange
  [[nodiscard]] std::unique_ptr<Exchange> close() noexcept;

  [[nodiscard]] Exchange& exchange() noexcept { return *exchange_; }
  [[nodiscard]] const Exchange& exchange() const noexcept { return *exchange_; }

  /// How the response has ended. The exchange only stores it: H1 handles it after the call that
  /// ended the response has returned.
  struct End {
    enum class Kind : std::uint8_t { none, answered, upgraded, cut };

    Kind kind = Kind::none;
    h1::Persistence persistence = h1::Persistence::implied;
    Sent sent = Sent::corked;
  };
  [[nodiscard]] const End& end_state() const noexcept { return end_; }

  // Input. Afterwards H1 checks end_state().
  /// in       the bytes after the headers
  /// returns  the bytes of `in` that it did not use
  [[nodiscard]] std::string_view begin(std::string_view in);
  /// Continues reading. Pre: exchange().takes_content()
  [[nodiscard]] std::string_view read(std::string_view in);
  /// Checks the minimum rate of the body.
  void check();
  /// Called when all output that had to wait was sent.
  void on_drained();

  /// Called when the client closes its half. returns  whether the request continues
  [[nodiscard]] bool outlives_half_close();
  /// Checks whether such a client has disconnected. returns  as above
  [[nodiscard]] bool probe();

  /// Returns whether more of the body may still be used.
  [[nodiscard]] bool takes_content() const noexcept { return exchange_->content().is_taken(); }
  /// Returns whether the body is incomplete: the start of the next request is unknown.
  [[nodiscard]] bool has_unread_content() const noexcept {
    return !reader_.is_done() || exchange_->content().refusal();
  }
  /// Reports the request to the observer, once.
  void report();

 private:
  void send(Response& response) override;
  void upgrade(Response& response) override;
  void send_head(const Response& response, std::optional<std::uint64_t> length,
                 Follows follows) override;
  std::size_t put(std::string_view content) override;
  bool flush() override;
  [[nodiscard]] bool is_waiting() const noexcept override;
  void on_blocked() override;
  void end(std::string_view trailer_lines) override;
  void cut() override;
  void on_content_taken() override;
  [[nodiscard]] bool may_send() const noexcept override;
  void watch(Instant due) noexcept override;
  void settle() override;
  [[nodiscard]] std::string address() const override;
  [[nodiscard]] std::optional<TlsInfo> tls() const override;
  void inform(int status, std::string_view field_lines) override;

  [[nodiscard]] h1::Persistence persistence(const Response& response) const noexcept;
  void pause_when_full() noexcept;
  [[nodiscard]] h1::Framing framing_of(int status,
                                       std::optional<std::uint64_t> length) const noexcept;

  H1* h1_ = nullptr;
  Connection* connection_ = nullptr;
  std::unique_ptr<Exchange> exchange_;
  h1::ContentReader reader_;
  Instant due_ = Instant::max();  // requested by the exchange
  End end_;
  // For a response with a produced body:
  h1::Framing framing_ = h1::Framing::none;
  h1::Persistence persistence_ = h1::Persistence::implied;  // as in its headers
  Follows follows_ = Follows::nothing;
  // For the observer:
  int status_ = 0;  // 0: no complete response
  std::uint64_t response_bytes_ = 0;
  bool is_reported_ = false;
};

}  // namespace eider::detail::server
