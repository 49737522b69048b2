// One request of the HTTP client: attempts, redirects, retries and deadlines.
// Layering: must not know how connections are made, nor how bytes become a response.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "eider/client/client_error.h"
#include "eider/client/client_state.h"
#include "eider/client/content_sender.h"
#include "eider/client/cookie_jar.h"
#include "eider/client/exchange.h"
#include "eider/client/received.h"
#include "eider/client/request_parts.h"
#include "eider/io/runtime/task.h"
#include "eider/protocols/http/http_url.h"

namespace eider::detail::client {

/// A response: complete, or its headers with the connection for its body. The request body may
/// still be sent over that connection.
///
/// The order is that of destruction: the sender uses the lease and refers to the parts.
struct Answered {
  std::unique_ptr<Received> received;
  Lease lease;
  std::unique_ptr<RequestParts> parts;  // null if the sender does not need them
  std::unique_ptr<ContentSender> sender;

  /// Stops sending and receiving.
  void give_back() noexcept {
    sender.reset();
    lease.give_back();
  }
};

class Call {
 public:
  using Outcome = Result<Answered, ClientError>;
  using Fault = std::optional<ClientError>;

  /// state  must outlive the call
  Call(ClientState& state, std::unique_ptr<RequestParts> parts, Gathering gathering);

  [[nodiscard]] Task<Outcome> run();

 private:
  /// The next step after an attempt.
  enum class Next : std::uint8_t { give, fail, again, follow };

  [[nodiscard]] Fault prepare();
  [[nodiscard]] Task<Fault> attempt();
  [[nodiscard]] Task<Fault> exchange();
  void send_head();
  void write_lines(Buffer& lines) const;
  [[nodiscard]] CookieSite cookie_site() const noexcept;
  void keep_cookies();
  void send_content();

  [[nodiscard]] Next judge(const Fault& fault);
  [[nodiscard]] Next judge_fault(const ClientError& fault);
  [[nodiscard]] Next judge_unprocessed(Processed how);
  [[nodiscard]] Next judge_passing();
  [[nodiscard]] Fault follow();
  void go_to(http::HttpUrl url);
  void change_request(Redirected to);
  [[nodiscard]] bool may_retry();
  [[nodiscard]] ClientError explained(ClientError error) const;
  [[nodiscard]] std::string_view why_not_again() const noexcept;
  [[nodiscard]] ReceiveTerms receive_terms() const;
  [[nodiscard]] bool waits_for_consent() const noexcept;

  ClientState& state_;
  std::unique_ptr<RequestParts> parts_;
  Gathering gathering_;
  http::HttpUrl url_;
  net::Route route_;
  Instant due_;
  Lease lease_;
  std::unique_ptr<Received> received_;
  std::unique_ptr<ContentSender> sender_;
  Duration pause_{};
  unsigned redirects_ = 0;
  unsigned retries_ = 0;
  unsigned moves_ = 0;         // from connections that the server has closed
  bool wants_fresh_ = false;   // because all idle connections may be dead
  bool may_expect_ = true;     // the server has not rejected "Expect: 100-continue"
  bool has_expected_ = false;  // in this attempt
};

}  // namespace eider::detail::client
