#include "eider/web/proxy/upstream_call.h"

#include <string>
#include <utility>

#include "eider/client/content_sender.h"
#include "eider/core/base/failure.h"
#include "eider/io/net/proxy.h"
#include "eider/protocols/http/method.h"

namespace eider::detail::proxy {

namespace {

constexpr std::string_view kLateHead =
    "The upstream did not respond in time. To wait longer, raise client.first_byte.";
constexpr std::string_view kLateContent =
    "The upstream did not accept the request body in time. To wait longer, raise "
    "client.between_bytes.";

bool has_content(const Request& request) noexcept {
  return request.head().body != BodyKind::none;
}

/// Returns whether the client waits for a 100 Continue, which HTTP/1.0 does not have.
bool expects_consent(const Request& request) noexcept {
  return request.head().expects_continue && request.head().minor_version != 0;
}

/// Forwards the client's request body as it arrives.
class Passed final : public client::ContentSource {
 public:
  /// request  must outlive this object
  Passed(const Request& request, BodyStream content) noexcept
      : request_(request), content_(content) {}
  [[nodiscard]] Task<Taken> next() override { co_return co_await content_.next(); }
  [[nodiscard]] std::string trailer_lines() const override {
    std::string lines;
    forward_request_trailers(request_, content_.trailers(),
                             [&lines](std::string_view name, std::string_view value) {
                               lines.append(name).append(": ").append(value).append("\r\n");
                             });
    return lines;
  }

 private:
  const Request& request_;
  BodyStream content_;
};

}  // namespace

ClientOptions plain_client(std::string_view who, ClientOptions options) {
  // A proxy setting that cannot be parsed must not be ignored.
  const net::Proxies proxies({options.http_proxy, options.https_proxy, options.no_proxy});
  if (!proxies.fault().empty()) {
    throw Failure(Error::bad_request(std::string(who) + ": " + std::string(proxies.fault())));
  }
  options.decompresses = false;
  options.redirects_max = 0;
  options.retries_max = 0;
  options.cookies = nullptr;
  options.user_agent = {};
  return options;
}

bool is_repeatable(const Request& request) noexcept {
  const Method method = request.method();
  return method != Method::post && method != Method::patch && method != Method::unknown &&
         !has_content(request);
}

Task<UpstreamCall::Outcome> UpstreamCall::run() {
  for (;;) {
    Fault fault = co_await attempt();
    if (!fault) {
      client::Answered answered{std::move(received_), std::move(lease_), nullptr,
                                std::move(sender_)};
      co_return std::move(answered);
    }
    if (!goes_again(*fault)) {
      co_return fail(client::with_place(std::move(*fault), asked_.request.method(), asked_.base));
    }
    // The sender is destroyed before the lease whose connection it uses. The next attempt has not
    // sent a request yet.
    sender_.reset();
    has_asked_ = false;
  }
}

Task<UpstreamCall::Fault> UpstreamCall::attempt() {
  if (auto fault = client_.forbids(asked_.route)) {
    co_return fault;
  }
  lease_ = wants_fresh_ || moves_ != 0 ? client::Lease() : client_.pool.try_lease(asked_.route);
  if (!lease_.is_held()) {
    const Instant due = client_.loop.now() + client_.options.connect + client_.options.handshake;
    auto lease = co_await client_.lease(
        asked_.route, due, wants_fresh_ ? client::Reuse::unwanted : client::Reuse::welcome,
        moves_ != 0 ? client::Rank::moved : client::Rank::usual);
    if (!lease) {
      co_return std::move(lease.error());
    }
    lease_ = std::move(*lease);
  }
  co_return co_await exchange();
}

Task<UpstreamCall::Fault> UpstreamCall::exchange() {
  received_ = std::make_unique<client::Received>();
  lease_->begin(*received_, {.asked = asked_.request.method(),
                             .gathering = client::Gathering::pieces,
                             .head = {client_.options.head_bytes_max, client_.options.headers_max},
                             .decompresses = false,
                             .interims = this});
  // From here on, the upstream may have started processing.
  has_asked_ = true;
  send_head();
  if (has_content(asked_.request)) {
    send_content();
    co_await lease_->until(client::Condition::sent);
  }
  // The time limit of the upstream starts when the request body has been sent.
  lease_->set_deadline(client_.loop.now() + client_.options.first_byte, kLateHead);
  co_await lease_->until(client::Condition::head);
  if (lease_->has_failed()) {
    // An exception of the client's body is more precise than the loss of the connection.
    if (sender_ != nullptr) {
      sender_->rethrow();
    }
    co_return lease_->error();
  }
  lease_->clear_deadline();
  co_return std::nullopt;
}

void UpstreamCall::send_head() {
  const Request& request = asked_.request;
  Buffer& lines = client_.lines;
  lines.clear();
  forward_request_fields(request, asked_.trust, [&](std::string_view name, std::string_view value) {
    write_field(lines, name, value);
  });
  if (const std::string credentials = client::ClientState::credentials_for(asked_.route);
      !credentials.empty()) {
    write_field(lines, "Proxy-Authorization", credentials);
  }
  const std::string origin = asked_.route.asks_proxy() ? asked_.base.origin() : std::string();
  const std::string target = target_of(asked_.base, asked_.behind);
  const auto bytes = asked_.content.length();
  const client::OutContent sized = bytes ? client::OutContent::sized : client::OutContent::streamed;
  lease_->send_head({.method = request.method(),
                     .origin = origin,
                     .scheme = asked_.base.is_secure ? "https" : "http",
                     .authority = asked_.host,
                     .target = target,
                     .lines = lines.view(),
                     .content = has_content(request) ? sized : client::OutContent::none,
                     .content_length = bytes.value_or(0),
                     .expects_continue = has_content(request) && expects_consent(request),
                     .takes_trailers = welcomes_trailers(request)});
}

/// "A proxy MUST forward 1xx responses unless the proxy itself requested the generation of the 1xx
/// response" (RFC 9110, section 15.2).
void UpstreamCall::on_interim(client::ProtocolVersion version, int status,
                              std::span<const Field> fields) {
  Peer* const peer = asked_.request.peer();
  if (peer == nullptr) {
    return;
  }
  std::string lines;
  forward_response_fields(fields, version, [&lines](std::string_view name, std::string_view value) {
    lines.append(name).append(": ").append(value).append("\r\n");
  });
  peer->inform(status, lines);
}

void UpstreamCall::send_content() {
  const ClientOptions& options = client_.options;
  const client::ContentTerms terms{
      .consent = expects_consent(asked_.request) ? options.continue_within : Duration::zero(),
      .patience = options.between_bytes,
      .late = kLateContent};
  sender_ = std::make_unique<client::ContentSender>(
      *lease_, std::make_unique<Passed>(asked_.request, asked_.content), terms);
  sender_->start();
}

/// Returns whether to use another connection: the upstream had closed this one while it was idle,
/// or reports that it did not process the request. Neither is a failure of the upstream.
bool UpstreamCall::goes_again(const ClientError& fault) {
  // A part of the client's body that was read cannot be sent again.
  if (!lease_.is_held() || (sender_ != nullptr && sender_->has_taken())) {
    return false;
  }
  if (lease_->processed() == client::Processed::no && moves_ < client::kMovesMax) {
    ++moves_;
    return true;
  }
  if (lease_->processed() == client::Processed::refused) {
    has_asked_ = false;  // another upstream may be tried, for any method
    return false;
  }
  if (!lease_.is_unanswered(fault) || !lease_.is_reused() || wants_fresh_ ||
      !is_repeatable(asked_.request)) {
    return false;
  }
  wants_fresh_ = true;
  return true;
}

}  // namespace eider::detail::proxy
