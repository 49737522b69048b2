// One request from its wish to its answer: attempts, redirects, retries and deadlines.
// Must not know how connections are made, nor how bytes become an answer.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "eider/client/client_error.h"
#include "eider/client/cookie_jar.h"
#include "eider/client/detail/client_state.h"
#include "eider/client/detail/exchange.h"
#include "eider/client/detail/http_url.h"
#include "eider/client/detail/received.h"
#include "eider/client/detail/request_parts.h"
#include "eider/runtime/task.h"

namespace eider::detail {

/// An answer: whole, or its head and the connection that its content comes over.
struct Answered {
  Answered(std::unique_ptr<Received> what, Lease over) noexcept
      : received(std::move(what)), lease(std::move(over)) {}

  std::unique_ptr<Received> received;
  Lease lease;
};

class Call {
 public:
  using Outcome = Result<Answered, ClientError>;
  using Fault = std::optional<ClientError>;

  /// state  outlives the call
  Call(ClientState& state, RequestParts parts, Gathering gathering);

  [[nodiscard]] Task<Outcome> run();

 private:
  /// What an attempt leads to.
  enum class Next : std::uint8_t { give, fail, again, follow };

  [[nodiscard]] Fault prepare();
  [[nodiscard]] Task<Fault> attempt();
  [[nodiscard]] Task<Fault> find_connection();
  [[nodiscard]] Task<Fault> exchange();
  void send_head();
  [[nodiscard]] std::string more_fields() const;
  [[nodiscard]] CookieSite cookie_site() const noexcept;
  void keep_cookies();
  [[nodiscard]] Task<Fault> send_content();

  [[nodiscard]] Next judge(const Fault& fault);
  [[nodiscard]] Next judge_fault(const ClientError& fault);
  [[nodiscard]] Next judge_unseen(Sight sight);
  [[nodiscard]] Next judge_passing();
  [[nodiscard]] Fault follow();
  void go_to(HttpUrl url);
  void change_request(Redirected to);
  [[nodiscard]] bool may_retry();
  [[nodiscard]] ClientError told(ClientError error) const;
  [[nodiscard]] ReceiveTerms receive_terms() const;
  [[nodiscard]] bool waits_for_consent() const noexcept;

  ClientState& state_;
  RequestParts parts_;
  Gathering gathering_;
  HttpUrl url_;
  Route route_;
  Instant due_;
  Lease lease_;
  std::unique_ptr<Received> received_;
  Duration pause_{};
  unsigned redirects_ = 0;
  unsigned retries_ = 0;
  unsigned moves_ = 0;         // from connections whose server went away
  bool wants_fresh_ = false;   // the idle connections may all be dead
  bool may_expect_ = true;     // "Expect: 100-continue" was not declined
  bool has_expected_ = false;  // in this attempt
};

}  // namespace eider::detail
