// One request to one upstream, until its response headers.
// Layering: must not choose or change the upstream.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "eider/client/call.h"
#include "eider/client/client_error.h"
#include "eider/client/client_state.h"
#include "eider/core/base/result.h"
#include "eider/io/runtime/task.h"
#include "eider/protocols/http/http_url.h"
#include "eider/protocols/http/request.h"
#include "eider/server/body_stream.h"
#include "eider/web/proxy/forwarding.h"

namespace eider::detail::proxy {

/// What is asked, and of whom. Everything outlives the call.
///
/// base      the upstream's URL; its target is the path in front
/// content   outlives the response
/// behind    the rest of the request's target: behind_prefix
/// host      of the Host field
struct UpstreamRequest {
  const Request& request;
  BodyStream content;
  const net::Route& route;
  const http::HttpUrl& base;
  std::string_view behind;
  std::string_view host;
  ForwardedTrust trust = ForwardedTrust::none;
};

class UpstreamCall final : private client::InterimUser {
 public:
  using Outcome = Result<client::Answered, ClientError>;

  /// client  outlives the response
  UpstreamCall(client::ClientState& client, const UpstreamRequest& asked) noexcept
      : client_(client), asked_(asked) {}

  /// Content is passed on as it comes, no faster than the upstream takes it, also while the
  /// response comes. A connection that was closed while it was idle is replaced by a new one, where
  /// that is safe.
  ///
  /// errors   as the client's; throws what `content` does
  [[nodiscard]] Task<Outcome> run();

  /// The upstream may have begun to do what was asked.
  [[nodiscard]] bool has_asked() const noexcept { return has_asked_; }

 private:
  using Fault = std::optional<ClientError>;

  void on_interim(client::ProtocolVersion version, int status,
                  std::span<const Field> fields) override;
  [[nodiscard]] Task<Fault> attempt();
  [[nodiscard]] Task<Fault> exchange();
  void send_head();
  void send_content();
  [[nodiscard]] bool goes_again(const ClientError& fault);

  client::ClientState& client_;
  UpstreamRequest asked_;
  client::Lease lease_;
  std::unique_ptr<client::Received> received_;
  std::unique_ptr<client::ContentSender> sender_;
  unsigned moves_ = 0;  // from connections whose server went away
  bool has_asked_ = false;
  bool wants_fresh_ = false;  // idle connections may all be dead
};

/// Whether doing it twice is the same as doing it once (RFC 9110, section 9.2.2), and it can be
/// done twice.
[[nodiscard]] bool is_repeatable(const Request& request) noexcept;

}  // namespace eider::detail::proxy
