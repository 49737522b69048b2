#include "eider/proxy/detail/upstream_call.h"

#include <array>
#include <charconv>
#include <utility>

#include "eider/base/text.h"
#include "eider/http/h1/writer.h"
#include "eider/http/method.h"
#include "eider/proxy/detail/either.h"
#include "eider/runtime/deadline.h"

namespace eider::detail {

namespace {

constexpr std::string_view kLateHead =
    "The upstream did not answer in time: raise client.first_byte.";
constexpr std::string_view kLateContent =
    "The upstream did not take the content in time: raise client.silence.";

bool has_content(const Request& request) noexcept {
  return request.head().body != BodyKind::none;
}

/// Of HTTP/1.0 none can come that is one.
bool expects_consent(const Request& request) noexcept {
  return request.head().expects_continue && request.head().minor_version != 0;
}

/// These mean something with content, so that "none" is worth saying (RFC 9110, section 8.6).
bool announces_emptiness(Method method) noexcept {
  return method == Method::post || method == Method::put || method == Method::patch;
}

void append_number(Buffer& out, std::uint64_t number) {
  std::array<char, 20> digits{};
  const char* const end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
  out.append({digits.data(), static_cast<std::size_t>(end - digits.data())});
}

void write_line(Buffer& out, const UpstreamRequest& asked) {
  out.append(to_text(asked.request.method()));
  out.append(' ');
  if (asked.route.asks_proxy()) {
    out.append(asked.base.origin());
  }
  out.append(target_of(asked.base, asked.behind));
  out.append(" HTTP/1.1\r\nHost: ");
  out.append(asked.host);
  out.append("\r\n");
}

void write_framing(Buffer& out, const UpstreamRequest& asked) {
  const Request& request = asked.request;
  const auto bytes = asked.content.length();
  if (has_content(request) && !bytes) {
    out.append("Transfer-Encoding: chunked\r\n");
  } else if (has_content(request) || announces_emptiness(request.method())) {
    out.append("Content-Length: ");
    append_number(out, bytes.value_or(0));
    out.append("\r\n");
  }
  if (has_content(request) && expects_consent(request)) {
    out.append("Expect: 100-continue\r\n");
  }
}

Task<> consent(ClientExchange& connection) {
  co_await connection.until(News::may_send);
}

Task<> answer(ClientExchange& connection) {
  co_await connection.until(News::head);
}

Task<std::optional<std::string_view>> next_of(BodyStream& content) {
  auto waiting = content.next();
  co_return co_await waiting;
}

}  // namespace

bool is_repeatable(const Request& request) noexcept {
  const Method method = request.method();
  return method != Method::post && method != Method::patch && method != Method::unknown &&
         !has_content(request);
}

void write_head(Buffer& out, const UpstreamRequest& asked) {
  write_line(out, asked);
  forward_request_fields(asked.request, asked.trust,
                         [&out](std::string_view name, std::string_view value) {
                           out.append(name);
                           out.append(": ");
                           out.append(value);
                           out.append("\r\n");
                         });
  if (asked.route.asks_proxy() && !asked.route.proxy->credentials().empty()) {
    out.append("Proxy-Authorization: ");
    out.append(asked.route.proxy->credentials());
    out.append("\r\n");
  }
  if (welcomes_trailers(asked.request)) {
    out.append("Connection: TE\r\nTE: trailers\r\n");
  }
  write_framing(out, asked);
  out.append("\r\n");
}

Task<UpstreamCall::Outcome> UpstreamCall::run() {
  for (;;) {
    lease_ = wants_fresh_ ? Lease() : client_.pool.try_lease(asked_.route);
    Fault fault;
    if (!lease_.is_held()) {
      auto connecting = connect();
      fault = co_await std::move(connecting);
    }
    if (!fault) {
      auto exchanging = exchange();
      fault = co_await std::move(exchanging);
    }
    if (!fault) {
      co_return Answered(std::move(received_), std::move(lease_));
    }
    if (!was_stale(*fault)) {
      co_return fail(told(std::move(*fault)));
    }
    wants_fresh_ = true;
    has_asked_ = false;
  }
}

Task<UpstreamCall::Fault> UpstreamCall::connect() {
  const Instant connected = client_.loop.now() + client_.options.connect;
  auto leasing =
      client_.pool.lease(asked_.route, {connected, connected + client_.options.handshake},
                         wants_fresh_ ? Reuse::unwanted : Reuse::welcome);
  auto lease = co_await std::move(leasing);
  if (!lease) {
    co_return std::move(lease.error());
  }
  lease_ = std::move(*lease);
  co_return std::nullopt;
}

Task<UpstreamCall::Fault> UpstreamCall::exchange() {
  received_ = std::make_unique<Received>();
  lease_->begin(*received_, {.asked = asked_.request.method(),
                             .gathering = Gathering::pieces,
                             .head = {client_.options.head_bytes_max, client_.options.fields_max},
                             .decompresses = false,
                             .interims = this});
  has_asked_ = true;
  write_head(lease_.h1().output(), asked_);
  if (has_content(asked_.request)) {
    auto sending = send_content();
    co_await std::move(sending);
  }
  lease_->set_deadline(client_.loop.now() + client_.options.first_byte, kLateHead);
  co_await lease_->until(News::head);
  if (lease_->has_failed()) {
    co_return lease_->error();
  }
  lease_->clear_deadline();
  co_return std::nullopt;
}

/// "A proxy MUST forward 1xx responses unless the proxy itself requested the generation of the 1xx
/// response" (RFC 9110, section 15.2).
void UpstreamCall::on_interim(int status, std::span<const Field> fields) {
  Peer* const peer = asked_.request.peer();
  if (peer == nullptr) {
    return;
  }
  std::string lines;
  forward_answer_fields(fields, [&lines](std::string_view name, std::string_view value) {
    lines.append(name).append(": ").append(value).append("\r\n");
  });
  peer->inform(status, lines);
}

// RFC 9110, section 10.1.1: some servers know nothing of it, so it is not waited for endlessly.
Task<> UpstreamCall::await_consent() {
  lease_->flush();
  auto waiting = with_deadline(consent(*lease_), client_.options.continue_within);
  co_await std::move(waiting);
}

Task<> UpstreamCall::send_content() {
  if (expects_consent(asked_.request)) {
    auto waiting = await_consent();
    co_await std::move(waiting);
  }
  while (!lease_->has_failed() && !lease_->has_head()) {
    auto taking = next_of(asked_.content);
    if (!taking.start()) {
      auto watching = answer(*lease_);
      watching.start();
      Either either(taking, watching);
      co_await either;
    }
    if (!taking.is_done()) {
      break;
    }
    const auto piece = taking.take();
    if (!piece) {
      put({});
      co_return;
    }
    put(*piece);
    auto waiting = await_room();
    co_await std::move(waiting);
  }
  lease_->cut_content();  // it may still expect the rest
}

Task<> UpstreamCall::await_room() {
  auto room = lease_->until(News::room);
  if (!room.await_ready()) {
    lease_->set_deadline(client_.loop.now() + client_.options.silence, kLateContent);
    co_await room;
    lease_->clear_deadline();
  }
}

/// piece  none: the end
void UpstreamCall::put(std::string_view piece) {
  if (lease_->has_failed()) {
    return;
  }
  if (asked_.content.length()) {
    lease_.h1().output().append(piece);
  } else if (piece.empty()) {
    lease_.h1().output().append(h1::kLastChunk);
  } else {
    h1::write_chunk(lease_.h1().output(), piece);
  }
}

/// The upstream had closed it while it was idle: that is no failure of the upstream's.
bool UpstreamCall::was_stale(const ClientError& fault) const noexcept {
  return fault.fault == ClientFault::connection_lost && lease_.is_held() && lease_.is_reused() &&
         !lease_->has_heard() && !wants_fresh_ && is_repeatable(asked_.request);
}

/// With the place where it happened.
ClientError UpstreamCall::told(ClientError error) const {
  error.text.insert(
      0, std::string(to_text(asked_.request.method())) + " " + asked_.base.origin() + ": ");
  return error;
}

}  // namespace eider::detail
