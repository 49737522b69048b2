// One request to one upstream, until its response headers.
// Layering: must not choose or change the upstream.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "eider/client/call.h"
#include "eider/client/client_error.h"
#include "eider/client/client_options.h"
#include "eider/client/client_state.h"
#include "eider/core/base/result.h"
#include "eider/io/runtime/task.h"
#include "eider/protocols/http/http_url.h"
#include "eider/protocols/http/request.h"
#include "eider/server/body_stream.h"
#include "eider/web/proxy/forwarding.h"

namespace eider::detail::proxy {

/// The data of one request to an upstream. All references must outlive the call.
///
/// base      the upstream's URL; its target is the prefix of the path
/// content   must outlive the response
/// behind    the rest of the request's target: behind_prefix
/// host      for the Host header
struct UpstreamRequest {
  const Request& request;
  BodyStream content;
  const net::Route& route;
  const http::HttpUrl& base;
  std::string_view behind;
  std::string_view host;
  ForwardedTrust trust = ForwardedTrust::none;
};

/// Disables the features of the client that go beyond one exchange, and its cookies, which would be
/// sent for other clients.
///
/// who     the function whose options these are, for errors
/// errors  throws a Failure (400) for an invalid proxy
[[nodiscard]] ClientOptions plain_client(std::string_view who, ClientOptions options);

class UpstreamCall final : private client::InterimUser {
 public:
  using Outcome = Result<client::Answered, ClientError>;

  /// client  must outlive the response
  UpstreamCall(client::ClientState& client, const UpstreamRequest& asked) noexcept
      : client_(client), asked_(asked) {}

  /// Sends the request. The body is forwarded as it arrives, at the speed of the upstream, even
  /// during the response. If an idle connection was closed by the upstream, a new connection is
  /// used if that is safe.
  ///
  /// errors   those of the client; throws the errors of `content`
  [[nodiscard]] Task<Outcome> run();

  /// Returns whether the upstream may have started to process the request.
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
  unsigned moves_ = 0;  // number of connections that were abandoned because their server went away
  bool has_asked_ = false;
  bool wants_fresh_ = false;  // do not use idle connections, because all may be closed
};

/// Returns whether the request is idempotent (RFC 9110, section 9.2.2), and can be sent again.
[[nodiscard]] bool is_repeatable(const Request& request) noexcept;

}  // namespace eider::detail::proxy
