#include "eider/client/detail/call.h"

#include <algorithm>
#include <array>
#include <utility>

#include "eider/base/text.h"
#include "eider/client/detail/content_sender.h"
#include "eider/runtime/sleep.h"

namespace eider::detail {

namespace {

using enum ClientFault;

constexpr int kExpectationFailed = 417;
/// A busy server that ends each connection after some requests turns one call away again and again:
/// of a hundred at once, with fifty to a connection, one in ten thousand more than eight times.
constexpr unsigned kMovesMax = 32;

constexpr std::array<std::string_view, 3> kCredentials{"Authorization", "Cookie",
                                                       "Proxy-Authorization"};
constexpr std::array<std::string_view, 5> kContentFields{
    "Content-Type", "Content-Encoding", "Content-Language", "Content-Location", "Digest"};

constexpr std::string_view kLateHead =
    "The server did not answer in time: raise first_byte, or timeout().";
constexpr std::string_view kLateContent =
    "The server did not take the content in time: raise timeout().";
constexpr std::string_view kLateWhole =
    "The answer was not whole in time: raise timeout(), or take its content in pieces.";

}  // namespace

Call::Call(ClientState& state, RequestParts parts, Gathering gathering)
    : state_(state), parts_(std::move(parts)), gathering_(gathering) {}

Task<Call::Outcome> Call::run() {
  if (auto fault = prepare()) {
    co_return fail(std::move(*fault));
  }
  for (;;) {
    auto attempting = attempt();
    Fault fault = co_await std::move(attempting);
    const Next next = judge(fault);
    if (next == Next::give) {
      co_return Answered(std::move(received_), std::move(lease_));
    }
    if (next == Next::follow) {
      fault = follow();
    }
    if (next == Next::fail || (next == Next::follow && fault)) {
      co_return fail(told(std::move(*fault)));
    }
    lease_ = Lease();
    if (pause_ != Duration::zero()) {
      co_await sleep_for(std::exchange(pause_, Duration::zero()));
    }
  }
}

Call::Fault Call::prepare() {
  if (parts_.fault) {
    return std::move(parts_.fault);
  }
  auto url = read_http_url(parts_.url);
  if (!url) {
    return ClientError{bad_url, std::string(url.error())};
  }
  if (!state_.proxies.fault().empty()) {
    return ClientError{proxy_failed, std::string(state_.proxies.fault())};
  }
  due_ = state_.loop.now() + parts_.within.value_or(state_.options.whole);
  state_.budget.note_request();
  go_to(std::move(*url));
  return std::nullopt;
}

void Call::go_to(HttpUrl url) {
  url_ = std::move(url);
  const bool is_h2 = state_.options.http2 == Http2Use::always;  // proxies are asked in HTTP/1.1
  route_ = {url_.origin(), url_.host, url_.port, url_.is_secure, state_.proxies.proxy_for(url_),
            is_h2};
  if (route_.asks_proxy()) {
    route_.key = "proxy";  // for whatever is asked of it
  }
}

// One attempt.

Task<Call::Fault> Call::attempt() {
  lease_ = wants_fresh_ || moves_ != 0 ? Lease() : state_.pool.try_lease(route_);
  if (!lease_.is_held()) {
    auto finding = find_connection();
    auto fault = co_await std::move(finding);
    if (fault) {
      co_return fault;
    }
  }
  auto exchanging = exchange();
  co_return co_await std::move(exchanging);
}

Task<Call::Fault> Call::find_connection() {
  const Instant connected = std::min(due_, state_.loop.now() + state_.options.connect);
  auto leasing =
      state_.pool.lease(route_, {connected, due_}, wants_fresh_ ? Reuse::unwanted : Reuse::welcome,
                        moves_ != 0 ? Rank::moved : Rank::usual);
  auto lease = co_await std::move(leasing);
  if (!lease) {
    co_return std::move(lease.error());
  }
  lease_ = std::move(*lease);
  co_return std::nullopt;
}

Task<Call::Fault> Call::exchange() {
  received_ = std::make_unique<Received>();
  received_->url = url_.to_text();
  lease_->begin(*received_, receive_terms());
  send_head();
  if (parts_.content_kind != ContentKind::none) {
    lease_->set_deadline(due_, kLateContent);
    auto sending = send_content();
    auto fault = co_await std::move(sending);
    if (fault) {
      co_return fault;
    }
  }
  lease_->set_deadline(std::min(due_, state_.loop.now() + state_.options.first_byte), kLateHead);
  co_await lease_->until(News::head);
  if (!lease_->has_failed() && gathering_ == Gathering::whole) {
    lease_->set_deadline(due_, kLateWhole);
    co_await lease_->until(News::end);
  }
  if (lease_->has_failed()) {
    co_return lease_->error();
  }
  lease_->clear_deadline();
  co_return std::nullopt;
}

ReceiveTerms Call::receive_terms() const {
  const ClientOptions& options = state_.options;
  return {.asked = parts_.method,
          .gathering = gathering_,
          .head = {options.head_bytes_max, options.fields_max},
          .body_bytes_max = options.body_bytes_max,
          .decompresses = options.decompresses,
          .decompression = options.decompression};
}

bool Call::waits_for_consent() const noexcept {
  const bool is_large = parts_.content_kind == ContentKind::produced ||
                        parts_.content.size() >= state_.options.expect_continue_from;
  return may_expect_ && parts_.content_kind != ContentKind::none && is_large;
}

void Call::send_head() {
  has_expected_ = waits_for_consent();
  const std::string more = more_fields();
  lease_->send_head(parts_, url_,
                    {.style = route_.asks_proxy() ? TargetStyle::absolute : TargetStyle::origin,
                     .expects_continue = has_expected_,
                     .accepts_codings = state_.options.decompresses,
                     .user_agent = state_.options.user_agent,
                     .more = more});
}

/// What this attempt alone says: to a proxy who we are, to a server its cookies.
std::string Call::more_fields() const {
  std::string fields;
  const std::string credentials = route_.asks_proxy() ? route_.proxy->credentials() : "";
  if (!credentials.empty()) {
    fields.append("Proxy-Authorization: ").append(credentials).append("\r\n");
  }
  if (state_.options.cookies != nullptr && !parts_.has_field("Cookie")) {
    const std::string cookies =
        state_.options.cookies->field_for(cookie_site(), state_.loop.wall_seconds());
    if (!cookies.empty()) {
      fields.append("Cookie: ").append(cookies).append("\r\n");
    }
  }
  return fields;
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

/// returns  why it came to nothing, if it is known already
Task<Call::Fault> Call::send_content() {
  ContentSender sender(*lease_, parts_);
  if (has_expected_) {
    auto waiting = sender.wait_for_consent(state_.options.continue_within);
    co_await std::move(waiting);
  }
  auto sending = sender.send();
  const ContentSent sent = co_await std::move(sending);
  if (sent == ContentSent::wrong_length) {
    co_return ClientError{bad_request,
                          "The content is not as long as was said: leave the length out, or give "
                          "as many bytes."};
  }
  if (sent == ContentSent::cut) {
    lease_->cut_content();
  }
  co_return std::nullopt;
}

// What it leads to.

Call::Next Call::judge(const Fault& fault) {
  if (fault) {
    return judge_fault(*fault);
  }
  wants_fresh_ = false;
  keep_cookies();
  const int status = received_->status;
  if (status == kExpectationFailed && has_expected_) {
    may_expect_ = false;
    return parts_.is_repeatable() ? Next::again : Next::give;
  }
  if (is_redirect(status) && state_.options.redirects_max != 0 && received_->find("Location")) {
    const bool can_follow =
        parts_.is_repeatable() || !redirected(status, parts_.method).keeps_content;
    return can_follow ? Next::follow : Next::give;
  }
  return is_passing(status) ? judge_passing() : Next::give;
}

Call::Next Call::judge_fault(const ClientError& fault) {
  if (fault.fault == not_connected) {
    return may_retry() ? Next::again : Next::fail;
  }
  if (lease_.is_held() && lease_->sight() != Sight::perhaps) {
    return judge_unseen(lease_->sight());
  }
  const bool is_unanswered =
      fault.fault == connection_lost && lease_.is_held() && !lease_->has_heard();
  if (!is_unanswered || !parts_.is_idempotent() || !parts_.is_repeatable()) {
    return Next::fail;
  }
  // The server had closed it while it was idle: that is no failure of the server's.
  if (lease_.is_reused() && !wants_fresh_) {
    wants_fresh_ = true;
    return Next::again;
  }
  return may_retry() ? Next::again : Next::fail;
}

/// Nobody has looked at the request, whatever its method. Moves to another connection are free, but
/// not without end: a server may leave again and again.
Call::Next Call::judge_unseen(Sight sight) {
  if (!parts_.is_repeatable()) {
    return Next::fail;
  }
  if (sight == Sight::none && moves_ < kMovesMax) {
    ++moves_;
    return Next::again;
  }
  return may_retry() ? Next::again : Next::fail;
}

Call::Next Call::judge_passing() {
  const auto value = received_->find("Retry-After");
  const auto asked = value ? read_retry_after(*value, state_.loop.wall_seconds()) : std::nullopt;
  const bool is_patient = !asked || *asked <= state_.options.retry_after_max;
  if (!parts_.is_idempotent() || !parts_.is_repeatable() || !is_patient || !may_retry()) {
    return Next::give;
  }
  pause_ = std::max(pause_, asked.value_or(Duration::zero()));
  return Next::again;
}

/// One more retry is within the limits; it is then counted, and its pause chosen.
bool Call::may_retry() {
  if (retries_ >= state_.options.retries_max) {
    return false;
  }
  const Duration pause = backoff(state_.options.backoff, retries_, state_.dice.next());
  if (state_.loop.now() + pause >= due_ || !state_.budget.try_spend()) {
    return false;
  }
  pause_ = pause;
  ++retries_;
  return true;
}

Call::Fault Call::follow() {
  if (redirects_ == state_.options.redirects_max) {
    return ClientError{too_many_redirects,
                       "One redirect follows the other: raise redirects_max, "
                       "or look at " +
                           url_.to_text() + "."};
  }
  ++redirects_;
  auto url = resolve_reference(url_, *received_->find("Location"));
  if (!url) {
    return ClientError{bad_redirect, "The server redirects to what is no URL of HTTP: " +
                                         std::string(url.error())};
  }
  if (url_.is_secure && !url->is_secure && !state_.options.may_leave_https) {
    return ClientError{bad_redirect,
                       "The server redirects from https to http: set "
                       "may_leave_https if that is what you want."};
  }
  change_request(redirected(received_->status, parts_.method));
  if (!url->has_origin_of(url_)) {
    parts_.remove_fields(kCredentials);
  }
  go_to(std::move(*url));
  return std::nullopt;
}

void Call::change_request(Redirected to) {
  parts_.method = to.method;
  if (!to.keeps_content && parts_.content_kind != ContentKind::none) {
    parts_.content_kind = ContentKind::none;
    parts_.content.clear();
    parts_.remove_fields(kContentFields);
  }
}

/// With the place where it happened.
ClientError Call::told(ClientError error) const {
  error.text.insert(0, std::string(to_text(parts_.method)) + " " + url_.origin() + ": ");
  if (error.fault == connection_lost && !parts_.is_idempotent()) {
    error.text.append(" It was not asked again because it may have been done.");
  }
  return error;
}

}  // namespace eider::detail
