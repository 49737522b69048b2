// One request at one upstream, up to the head of its answer.
// Must not choose the upstream, nor ask another one.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "eider/base/buffer.h"
#include "eider/base/result.h"
#include "eider/client/client_error.h"
#include "eider/client/detail/call.h"
#include "eider/client/detail/client_state.h"
#include "eider/client/detail/http_url.h"
#include "eider/http/request.h"
#include "eider/proxy/detail/forwarding.h"
#include "eider/runtime/task.h"
#include "eider/server/body_stream.h"

namespace eider::detail {

/// What is asked, and of whom. Everything outlives the call.
///
/// base      the upstream's URL; its target is the path in front
/// behind    the rest of the request's target: behind_prefix
/// host      of the Host field
struct UpstreamRequest {
  const Request& request;
  BodyStream& content;
  const Route& route;
  const HttpUrl& base;
  std::string_view behind;
  std::string_view host;
  ForwardedTrust trust = ForwardedTrust::none;
};

/// Appends the head as the upstream is told it.
///
/// source  RFC 9112, sections 3 and 6; RFC 9110, section 7.6
void write_head(Buffer& out, const UpstreamRequest& asked);

class UpstreamCall final : private InterimUser {
 public:
  using Outcome = Result<Answered, ClientError>;

  /// client  outlives the answer
  UpstreamCall(ClientState& client, const UpstreamRequest& asked) noexcept
      : client_(client), asked_(asked) {}

  /// Content is passed on as it comes, no faster than the upstream takes it, until there is an
  /// answer. A connection that was closed while it was idle is replaced by a new one, where that is
  /// safe.
  ///
  /// errors   as the client's; throws what `content` does
  [[nodiscard]] Task<Outcome> run();

  /// The upstream may have begun to do what was asked.
  [[nodiscard]] bool has_asked() const noexcept { return has_asked_; }

 private:
  using Fault = std::optional<ClientError>;

  void on_interim(int status, std::span<const Field> fields) override;
  [[nodiscard]] Task<Fault> connect();
  [[nodiscard]] Task<Fault> exchange();
  [[nodiscard]] Task<> await_consent();
  [[nodiscard]] Task<> send_content();
  [[nodiscard]] Task<> await_room();
  void put(std::string_view piece);
  [[nodiscard]] bool was_stale(const ClientError& fault) const noexcept;
  [[nodiscard]] ClientError told(ClientError error) const;

  ClientState& client_;
  UpstreamRequest asked_;
  Lease lease_;
  std::unique_ptr<Received> received_;
  bool has_asked_ = false;
  bool wants_fresh_ = false;  // idle connections may all be dead
};

/// Whether doing it twice is the same as doing it once (RFC 9110, section 9.2.2), and it can be
/// done twice.
[[nodiscard]] bool is_repeatable(const Request& request) noexcept;

}  // namespace eider::detail
