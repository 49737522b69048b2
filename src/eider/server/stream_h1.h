// One HTTP/1.1 request that is not answered at once: its framing in both directions.
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

/// Whether all of a response is in the cork, or some of it has been given to the socket already.
enum class Sent : std::uint8_t { corked, partly };

/// Kept for the next request when its own is done, by its loop.
class StreamH1 final : public Transport {
 public:
  /// Takes the loop's request on. Pre: closed.
  void open(H1& h1, Connection& connection, const RequestPlan& plan,
            std::unique_ptr<Exchange> exchange);
  /// Ends what goes on. returns  the exchange
  [[nodiscard]] std::unique_ptr<Exchange> close() noexcept;

  [[nodiscard]] Exchange& exchange() noexcept { return *exchange_; }
  [[nodiscard]] const Exchange& exchange() const noexcept { return *exchange_; }

  /// How the response has ended. The exchange only notes it here: H1 acts on it when the call that
  /// ended the response has returned.
  struct End {
    enum class Kind : std::uint8_t { none, answered, upgraded, cut };

    Kind kind = Kind::none;
    h1::Persistence persistence = h1::Persistence::implied;
    Sent sent = Sent::corked;
  };
  [[nodiscard]] const End& end_state() const noexcept { return end_; }

  // What arrives. Afterwards H1 looks at end_state().
  /// in       what has come behind the head
  /// returns  what it leaves of that
  [[nodiscard]] std::string_view begin(std::string_view in);
  /// Reads on. Pre: exchange().takes_content()
  [[nodiscard]] std::string_view read(std::string_view in);
  /// Looks whether the content comes too slowly.
  void check();
  /// All that the socket had refused has left.
  void on_drained();

  /// The client has closed its half. returns  whether the request is answered all the same
  [[nodiscard]] bool outlives_half_close();
  /// Finds out whether such a client has left. returns  as above
  [[nodiscard]] bool probe();

  /// Some of the content may still be of use.
  [[nodiscard]] bool takes_content() const noexcept { return exchange_->content().is_taken(); }
  /// Some of the content is still to come: nobody knows where the next request begins.
  [[nodiscard]] bool has_unread_content() const noexcept {
    return !reader_.is_done() || exchange_->content().refusal();
  }
  /// Tells the observer what has become of the request, once.
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
  Instant due_ = Instant::max();  // what the exchange has asked for
  End end_;
  // Of a response whose content is produced:
  h1::Framing framing_ = h1::Framing::none;
  h1::Persistence persistence_ = h1::Persistence::implied;  // as its head says
  Follows follows_ = Follows::nothing;
  // What the observer is told:
  int status_ = 0;  // 0: not answered whole
  std::uint64_t response_bytes_ = 0;
  bool is_reported_ = false;
};

}  // namespace eider::detail::server
