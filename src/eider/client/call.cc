#include "eider/client/call.h"

#include <algorithm>
#include <array>
#include <utility>

#include "eider/client/policy.h"
#include "eider/core/base/text.h"
#include "eider/io/runtime/sleep.h"

namespace eider::detail::client {

namespace {

using enum ClientFault;

constexpr int kExpectationFailed = 417;

constexpr std::array<std::string_view, 5> kContentFields{
    "Content-Type", "Content-Encoding", "Content-Language", "Content-Location", "Digest"};

/// Returns whether the redirect leads to the same server, now with TLS.
bool is_upgraded(const http::HttpUrl& from, const http::HttpUrl& to) noexcept {
  return !from.is_secure && to.is_secure && from.host == to.host && from.port == 80 &&
         to.port == 443;
}

void append_line(Buffer& lines, std::string_view name, std::string_view value) {
  lines.append(name);
  lines.append(": ");
  lines.append(value);
  lines.append("\r\n");
}

constexpr std::string_view kLateHead =
    "The server did not respond in time: raise first_byte, or timeout().";
constexpr std::string_view kLateContent =
    "The server did not accept the request body in time: raise timeout().";
constexpr std::string_view kLateWhole =
    "The response was not complete in time: raise timeout(), or read the body in pieces.";

}  // namespace

Call::Call(ClientState& state, std::unique_ptr<RequestParts> parts, Gathering gathering)
    : state_(state), parts_(std::move(parts)), gathering_(gathering) {}

Task<Call::Outcome> Call::run() {
  if (auto fault = prepare()) {
    co_return fail(std::move(*fault));
  }
  for (;;) {
    Fault fault = co_await attempt();
    const Next next = judge(fault);
    if (next == Next::give) {
      Answered answered{std::move(received_), std::move(lease_), std::move(parts_),
                        std::move(sender_)};
      co_return std::move(answered);
    }
    if (next == Next::follow) {
      fault = follow();
    }
    if (next == Next::fail || (next == Next::follow && fault)) {
      co_return fail(explained(std::move(*fault)));
    }
    sender_.reset();  // before the lease that it uses
    // Other requests may use the connection during the pause.
    lease_ = Lease();
    if (pause_ != Duration::zero()) {
      co_await sleep_for(std::exchange(pause_, Duration::zero()));
    }
  }
}

Call::Fault Call::prepare() {
  if (parts_->fault) {
    return std::move(parts_->fault);
  }
  auto url = http::read_http_url(parts_->url);
  if (!url) {
    return ClientError{bad_url, std::string(url.error())};
  }
  if (!state_.proxies.fault().empty()) {
    return ClientError{proxy_failed, std::string(state_.proxies.fault())};
  }
  // The deadline applies to all attempts together.
  due_ = state_.loop.now() + parts_->within.value_or(state_.options.total);
  state_.budget.note_request();
  go_to(std::move(*url));
  return std::nullopt;
}

void Call::go_to(http::HttpUrl url) {
  url_ = std::move(url);
  route_ = state_.route_to(url_);
}

// One attempt.

Task<Call::Fault> Call::attempt() {
  if (auto fault = state_.forbids(route_)) {
    co_return fault;
  }
  // A request that was moved, or whose connection was dead, must not use an idle one again.
  lease_ = wants_fresh_ || moves_ != 0 ? Lease() : state_.pool.try_lease(route_);
  if (!lease_.is_held()) {
    auto lease =
        co_await state_.lease(route_, due_, wants_fresh_ ? Reuse::unwanted : Reuse::welcome,
                              moves_ != 0 ? Rank::moved : Rank::usual);
    if (!lease) {
      co_return std::move(lease.error());
    }
    lease_ = std::move(*lease);
  }
  co_return co_await exchange();
}

Task<Call::Fault> Call::exchange() {
  received_ = std::make_unique<Received>();
  received_->url = url_.to_text();
  lease_->begin(*received_, receive_terms());
  send_head();
  if (parts_->content_kind != ContentKind::none) {
    lease_->set_deadline(due_, kLateContent);
    send_content();
    // The body and the response are transferred at the same time: an early response ends this wait.
    co_await lease_->until(Condition::sent);
  }
  // The time limit for the server starts when the body was sent.
  lease_->set_deadline(std::min(due_, state_.loop.now() + state_.options.first_byte), kLateHead);
  co_await lease_->until(Condition::head);
  if (!lease_->has_failed() && gathering_ == Gathering::whole) {
    lease_->set_deadline(due_, kLateWhole);
    co_await lease_->until(Condition::end);
  }
  if (lease_->has_failed()) {
    // The producer's exception is more helpful than the loss of the connection.
    if (sender_ != nullptr) {
      sender_->rethrow();
    }
    co_return lease_->error();
  }
  lease_->clear_deadline();
  if (sender_ != nullptr && gathering_ == Gathering::pieces) {
    // From here on, the total deadline does not apply.
    sender_->set_patience(state_.options.between_bytes);
  }
  co_return std::nullopt;
}

ReceiveTerms Call::receive_terms() const {
  const ClientOptions& options = state_.options;
  return {.asked = parts_->method,
          .gathering = gathering_,
          .head = {options.head_bytes_max, options.headers_max},
          .body_bytes_max = options.body_bytes_max,
          .decompresses = options.decompresses,
          .decompression = options.decompression};
}

bool Call::waits_for_consent() const noexcept {
  const bool is_large = parts_->content_kind == ContentKind::produced ||
                        parts_->content.size() >= state_.options.expect_continue_from;
  return may_expect_ && parts_->content_kind != ContentKind::none && is_large;
}

void Call::send_head() {
  has_expected_ = waits_for_consent();
  write_lines(state_.lines);
  const std::string origin = route_.asks_proxy() ? url_.origin() : std::string();
  OutHead head{.method = parts_->method,
               .origin = origin,
               .scheme = url_.is_secure ? "https" : "http",
               .authority = url_.authority,
               .target = url_.target,
               .lines = state_.lines.view(),
               .expects_continue = has_expected_};
  if (parts_->content_kind == ContentKind::bytes) {
    head.content = OutContent::sized;
    head.content_length = parts_->content.size();
  } else if (parts_->content_kind == ContentKind::produced) {
    head.content = parts_->content_length ? OutContent::sized : OutContent::streamed;
    head.content_length = parts_->content_length.value_or(0);
  }
  lease_->send_head(head);
}

/// Writes the headers of the request, and those of this attempt: credentials for a proxy, cookies
/// for a server.
void Call::write_lines(Buffer& lines) const {
  lines.clear();
  if (!state_.options.user_agent.empty() && !parts_->has_field("User-Agent")) {
    append_line(lines, "User-Agent", state_.options.user_agent);
  }
  if (state_.options.decompresses && !parts_->has_field("Accept-Encoding")) {
    // The positions of a range count the encoded bytes, and a part of them cannot be decoded.
    const bool wants_part = parts_->has_field("Range");
    append_line(lines, "Accept-Encoding", wants_part ? "identity" : "gzip, br, zstd");
  }
  lines.append(parts_->field_lines);
  if (const std::string credentials = state_.credentials_for(route_); !credentials.empty()) {
    append_line(lines, "Proxy-Authorization", credentials);
  }
  // A Cookie header of the request replaces the jar's cookies.
  if (state_.options.cookies != nullptr && !parts_->has_field("Cookie")) {
    const std::string cookies =
        state_.options.cookies->header_for(cookie_site(), state_.loop.wall_seconds());
    if (!cookies.empty()) {
      append_line(lines, "Cookie", cookies);
    }
  }
}

CookieSite Call::cookie_site() const noexcept {
  return {url_.host, url_.path(), url_.is_secure};
}

void Call::keep_cookies() {
  for (const Field& field : received_->fields) {
    if (state_.options.cookies != nullptr && equals_ignoring_case(field.name, "Set-Cookie")) {
      state_.options.cookies->store(cookie_site(), field.value, state_.loop.wall_seconds());
    }
  }
}

void Call::send_content() {
  const ContentTerms terms{
      .consent = has_expected_ ? state_.options.continue_within : Duration::zero(),
      .late = kLateContent};
  sender_ =
      parts_->content_kind == ContentKind::bytes
          ? std::make_unique<ContentSender>(*lease_, parts_->content, terms)
          : std::make_unique<ContentSender>(*lease_, std::make_unique<Produced>(*parts_), terms);
  // Start after the headers were written, because it may send at once.
  sender_->start();
}

// The next step.

Call::Next Call::judge(const Fault& fault) {
  if (fault) {
    return judge_fault(*fault);
  }
  // There was a response, so idle connections may be used again.
  wants_fresh_ = false;
  // Redirects can set cookies too, so store them before following.
  keep_cookies();
  const int status = received_->status;
  if (status == kExpectationFailed && has_expected_) {
    // This happens only once: the next attempt has no expectation.
    may_expect_ = false;
    return parts_->is_repeatable() ? Next::again : Next::give;
  }
  // An empty Location would lead to the same URL again, so do not follow it.
  if (is_redirect(status) && state_.options.redirects_max != 0 &&
      !received_->find("Location").value_or("").empty()) {
    const bool can_follow =
        parts_->is_repeatable() || !redirected(status, parts_->method).keeps_content;
    return can_follow ? Next::follow : Next::give;
  }
  return is_passing(status) ? judge_passing() : Next::give;
}

Call::Next Call::judge_fault(const ClientError& fault) {
  // Nothing was sent, so the method does not matter.
  if (fault.fault == not_connected) {
    return may_retry() ? Next::again : Next::fail;
  }
  if (lease_.is_held() && lease_->processed() != Processed::perhaps) {
    return judge_unprocessed(lease_->processed());
  }
  if (!lease_.is_unanswered(fault) || !parts_->is_idempotent() || !parts_->is_repeatable()) {
    return Next::fail;
  }
  // The server had closed the idle connection, which is not a failure.
  if (lease_.is_reused() && !wants_fresh_) {
    wants_fresh_ = true;
    return Next::again;
  }
  return may_retry() ? Next::again : Next::fail;
}

/// The server did not process the request, so the method does not matter. Moves to another
/// connection do not count as retries, but are limited, because a server may close again and again.
Call::Next Call::judge_unprocessed(Processed how) {
  if (!parts_->is_repeatable()) {
    return Next::fail;
  }
  if (how == Processed::no && moves_ < kMovesMax) {
    ++moves_;
    return Next::again;
  }
  return may_retry() ? Next::again : Next::fail;
}

Call::Next Call::judge_passing() {
  const auto value = received_->find("Retry-After");
  const auto asked = value ? read_retry_after(*value, state_.loop.wall_seconds()) : std::nullopt;
  const Duration wait = asked.value_or(Duration::zero());
  // A retry after the deadline would replace this response by a timeout.
  const bool is_patient = wait <= state_.options.retry_after_max && wait < due_ - state_.loop.now();
  if (!parts_->is_idempotent() || !parts_->is_repeatable() || !is_patient || !may_retry()) {
    return Next::give;
  }
  pause_ = std::max(pause_, wait);
  return Next::again;
}

/// Returns whether one more retry is within the limits. If so, counts it and sets its pause.
bool Call::may_retry() {
  if (retries_ >= state_.options.retries_max) {
    return false;
  }
  const Duration pause = backoff(state_.options.backoff, retries_, state_.dice.next_share());
  // Check the budget last, because a successful check spends it.
  if (state_.loop.now() + pause >= due_ || !state_.budget.try_spend()) {
    return false;
  }
  pause_ = pause;
  ++retries_;
  return true;
}

Call::Fault Call::follow() {
  if (redirects_ == state_.options.redirects_max) {
    return ClientError{
        too_many_redirects,
        "There are too many redirects: raise redirects_max, or check " + url_.to_text() + "."};
  }
  ++redirects_;
  auto url = http::resolve_reference(url_, *received_->find("Location"));
  if (!url) {
    return ClientError{bad_redirect,
                       "The server redirects to an invalid URL: " + std::string(url.error())};
  }
  if (url_.is_secure && !url->is_secure && !state_.options.may_redirect_to_http) {
    return ClientError{
        bad_redirect,
        "The server redirects from https to http: set may_redirect_to_http to allow this."};
  }
  // This comes before comparing origins, because a redirect without the body may lead to another
  // origin.
  change_request(redirected(received_->status, parts_->method));
  if (!url->has_origin_of(url_)) {
    if (parts_->content_kind != ContentKind::none &&
        !state_.options.may_redirect_body_cross_origin && !is_upgraded(url_, *url)) {
      return ClientError{bad_redirect,
                         "The server redirects the request body to another origin: set "
                         "may_redirect_body_cross_origin to allow this."};
    }
    // Credentials are only for their origin (RFC 9110, 15.4).
    parts_->keep_plain_fields();
  }
  go_to(std::move(*url));
  return std::nullopt;
}

void Call::change_request(Redirected to) {
  parts_->method = to.method;
  if (!to.keeps_content && parts_->content_kind != ContentKind::none) {
    parts_->content_kind = ContentKind::none;
    // The sender, which refers to it, does not run again before it is destroyed.
    parts_->content.clear();
    parts_->remove_fields(kContentFields);
  }
}

/// Adds the place of the error, and why it was not retried.
ClientError Call::explained(ClientError error) const {
  error = with_place(std::move(error), parts_->method, url_);
  if (error.fault == connection_lost) {
    error.text.append(why_not_again());
  }
  return error;
}

/// Returns a sentence to append; empty if all retries were used.
std::string_view Call::why_not_again() const noexcept {
  const bool may_be_done = !lease_.is_held() || lease_->processed() == Processed::perhaps;
  if (may_be_done && !parts_->is_idempotent()) {
    return " The request was not repeated because the server may have processed it.";
  }
  return parts_->is_repeatable()
             ? std::string_view()
             : " The request was not repeated because its body cannot be sent twice.";
}

}  // namespace eider::detail::client
