#include "eider/web/proxy/tunnel.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <utility>

#include "eider/client/ws/random_masks.h"
#include "eider/client/ws/ws_opening.h"
#include "eider/core/base/text.h"
#include "eider/io/runtime/deadline.h"
#include "eider/protocols/http/h1/response_reader.h"
#include "eider/protocols/http/ws/handshake.h"
#include "eider/server/limits.h"

namespace eider::detail::proxy {

Tunnel::Tunnel(UpgradedLine& line, std::unique_ptr<TcpStream> upstream, Load load,
               TunnelLimits limits)
    : line_(line),
      upstream_owner_(*this),
      upstream_(std::move(upstream)),
      load_(std::move(load)),
      limits_(limits),
      heard_(line.loop().now()) {
  line_.loop().defer(*this);
  watch();
}

void Tunnel::on_bytes(std::string_view bytes) {
  if (is_over_ || !upstream_->stream().is_open()) {
    return;
  }
  heard_ = now();
  upstream_->stream().output().append(bytes);
  if (!upstream_->stream().flush()) {
    // The client is not read while the upstream is slow.
    line_.pause_reading();
    upstream_pace_.begin(upstream_->stream().unread_bytes(), now());
    watch();
  }
}

void Tunnel::on_drained() {
  heard_ = now();
  client_pace_.note_drained(line_.unread_bytes(), now());
  if (has_upstream_ended_) {
    leave();
  } else if (upstream_->stream().is_open()) {
    upstream_->stream().resume_reading();
  }
}

void Tunnel::on_broken() {
  // Set first: the end of the upstream must not close the line again.
  is_over_ = true;
  disarm();
  upstream_->stream().close();
}

/// Bytes after the 101 are sent in the turn after the headers: an HTTP/2 stream must have received
/// its headers first, which are sent at the end of this turn.
void Tunnel::run() {
  if (!std::exchange(is_head_sent_, true)) {
    line_.loop().defer(*this);
    return;
  }
  upstream_->hand_over(upstream_owner_);
  if (upstream_->stream().waiting_bytes() == 0) {
    on_upstream_drained();  // it may have happened before the tunnel was registered
  }
}

void Tunnel::on_upstream_bytes(std::string_view bytes) {
  if (is_over_) {
    return;
  }
  heard_ = now();
  line_.output().append(bytes);
  if (!line_.flush()) {
    upstream_->stream().pause_reading();
    client_pace_.begin(line_.unread_bytes(), now());
    watch();
  }
}

void Tunnel::on_upstream_drained() {
  heard_ = now();
  upstream_pace_.note_drained(upstream_->stream().unread_bytes(), now());
  line_.resume_reading();
}

void Tunnel::end_upstream() {
  if (upstream_->stream().is_open()) {
    upstream_->stream().end();
  }
  note_end();
}

// The last bytes of the upstream, such as the reason for closing, still reach a slow client.
void Tunnel::end_client() {
  if (is_over_ || std::exchange(has_upstream_ended_, true)) {
    return;
  }
  if (line_.flush()) {
    leave();
  } else {
    note_end();
  }
}

void Tunnel::note_end() {
  ended_ = std::min(ended_, now());
  watch();
}

void Tunnel::leave() {
  if (!std::exchange(is_over_, true)) {
    disarm();
    line_.close();
  }
}

/// Resets the connection if bytes are waiting, because the kernel would wait to send them.
void Tunnel::cut() {
  if (upstream_->stream().waiting_bytes() != 0) {
    upstream_->stream().reset();
  }
  upstream_->stream().close();
  if (line_.waiting_bytes() != 0) {
    line_.reset();
  }
  leave();
}

Instant Tunnel::due() const noexcept {
  if (ended_ != Instant::max()) {
    return ended_ + limits_.patience;
  }
  const Instant taken =
      std::min(client_pace_.due(limits_.patience), upstream_pace_.due(limits_.patience));
  return taken != Instant::max() ? taken : heard_ + limits_.idle;
}

/// Returns whether the sides with waiting bytes accept enough of them.
bool Tunnel::keep_up() noexcept {
  const auto is_kept = [&](Pace& pace, std::size_t waiting) {
    return pace.due(limits_.patience) > now() ||
           pace.keeps_up(waiting, now(), Limits().least_bytes(limits_.patience));
  };
  return (client_pace_.is_watched() || upstream_pace_.is_watched()) &&
         is_kept(client_pace_, line_.unread_bytes()) &&
         is_kept(upstream_pace_, upstream_->stream().unread_bytes());
}

// Arriving bytes do not move the timer: when it expires, it checks the time, and waits for the
// rest.
void Tunnel::expire() {
  if (now() < due() || (ended_ == Instant::max() && keep_up())) {
    watch();
  } else {
    cut();
  }
}

namespace {

constexpr int kOk = 200;
constexpr int kSwitching = 101;

/// The Sec-WebSocket-Key. A client with HTTP/2 sends none, so the proxy sends and checks its own
/// (RFC 8441, section 5). Otherwise the client's key is forwarded.
struct KeyTerms {
  explicit KeyTerms(const Request& request) : is_ours(request.head().opens_websocket) {
    if (is_ours) {
      client::RandomMasks random;
      key = client::make_ws_key(random);
    }
  }
  [[nodiscard]] std::string_view view() const noexcept { return {key.data(), key.size()}; }
  [[nodiscard]] bool holds(std::string_view name) const noexcept {
    return is_ours && (equals_ignoring_case(name, ws::kKeyField) ||
                       equals_ignoring_case(name, ws::kAcceptField));
  }

  bool is_ours;
  client::WsKey key{};
};

/// Writes the handshake of the client; of the hop-by-hop headers, only those of the upgrade, which
/// are set anew.
void write_handshake(Buffer& out, const Request& request, const http::HttpUrl& url,
                     ForwardedTrust trust, const KeyTerms& key) {
  out.append("GET ");
  out.append(url.target);
  out.append(" HTTP/1.1\r\n");
  write_field(out, "Host", url.authority);
  write_field(out, "Connection", "Upgrade");
  write_field(out, "Upgrade", "websocket");
  if (key.is_ours) {
    write_field(out, ws::kKeyField, key.view());
  }
  forward_request_fields(request, trust, [&](std::string_view name, std::string_view value) {
    if (!key.holds(name)) {
      write_field(out, name, value);
    }
  });
  out.append("\r\n");
}

/// Checks the key in the 101, if it is that of the proxy.
bool is_accepted(const h1::ReplyHead& head, const KeyTerms& key) {
  if (!key.is_ours) {
    return true;
  }
  const auto accept = ws::accept_value(key.view());
  return head.find(ws::kAcceptField) == std::string_view(accept.data(), accept.size());
}

Response response_of(const h1::ReplyHead& head, const KeyTerms& key) {
  const bool is_open = head.status == kSwitching;
  Response response(is_open && key.is_ours ? kOk : head.status);
  forward_response_fields(head.fields, {1, head.minor_version},
                          [&](std::string_view name, std::string_view value) {
                            if (!key.holds(name)) {
                              response.add_header(name, value);
                            }
                          });
  if (is_open && !key.is_ours) {
    response.add_header("Upgrade", "websocket");
  }
  return response;
}

ClientError bad_response() {
  return {ClientFault::bad_response,
          "The upstream's response to the WebSocket handshake is not valid HTTP."};
}

enum class HeadRead : std::uint8_t { whole, partial, bad };

/// Skips interim responses, which clients do not expect here.
HeadRead read_head(h1::ResponseReader& reader, Buffer& received) {
  for (;;) {
    switch (reader.read(received.view(), Method::get, h1::ResponseLimits())) {
      case h1::HeadStatus::need_more:
        return HeadRead::partial;
      case h1::HeadStatus::refused:
        return HeadRead::bad;
      case h1::HeadStatus::complete:
        break;
    }
    if (!reader.head().is_interim()) {
      return HeadRead::whole;
    }
    received.consume(reader.head_bytes());
  }
}

Task<Result<Response, ClientError>> shake_hands(std::unique_ptr<TcpStream> far, Load load,
                                                std::string handshake, KeyTerms key,
                                                TunnelLimits limits) {
  const auto written = co_await far->write(handshake);
  static_cast<void>(written);  // reading the response reports a failed write
  h1::ResponseReader reader;
  Buffer received;
  for (;;) {
    const HeadRead read = read_head(reader, received);
    if (read == HeadRead::bad) {
      co_return fail(bad_response());
    }
    if (read == HeadRead::whole) {
      break;
    }
    const auto more = co_await far->read();
    if (!more || more->empty()) {
      co_return fail(
          ClientError{ClientFault::connection_lost,
                      "The upstream closed the connection during the WebSocket handshake."});
    }
    received.append(*more);
  }
  const bool is_open = reader.head().status == kSwitching;
  if (is_open && !is_accepted(reader.head(), key)) {
    co_return fail(bad_response());
  }
  Response response = response_of(reader.head(), key);
  if (is_open) {
    // Frames after the 101 are forwarded to the client.
    far->unread(received.view().substr(reader.head_bytes()));
    response.set_content(std::make_unique<TunnelUpgrade>(std::move(far), std::move(load), limits));
  }
  co_return response;
}

}  // namespace

bool wants_websocket(const Request& request) noexcept {
  const auto upgrade = request.header("Upgrade");
  const RequestHead& head = request.head();
  // With a request body before the first frame, both ends might disagree about where the frames
  // start.
  const bool is_upgrade = head.method == Method::get && head.wants_upgrade &&
                          head.body == BodyKind::none && upgrade &&
                          equals_ignoring_case(*upgrade, "websocket");
  return is_upgrade || head.opens_websocket;
}

Task<Result<Response, ClientError>> open_tunnel(client::ClientState& client, const Request& request,
                                                http::HttpUrl url, net::Route route,
                                                const ProxyOptions& options, ForwardedTrust trust,
                                                Load load, bool& has_asked) {
  route.is_tunnel = true;
  // The upgrade requires HTTP/1.1, so only that is offered.
  auto far = co_await client.net.connect(
      route, {client.loop.now() + client.options.connect, client.options.handshake}, {"http/1.1"});
  if (!far) {
    co_return fail(to_client_error(std::move(far.error())));
  }
  has_asked = true;
  const KeyTerms key(request);
  Buffer handshake;
  write_handshake(handshake, request, url, trust, key);
  const TunnelLimits limits{.idle = options.tunnel_idle, .patience = client.options.between_bytes};
  auto shaken = co_await with_deadline(shake_hands(std::move(far->stream), std::move(load),
                                                   std::string(handshake.view()), key, limits),
                                       client.options.first_byte);
  if (!shaken) {
    co_return fail(ClientError{ClientFault::timed_out,
                               "The upstream did not respond to the WebSocket handshake in time."});
  }
  co_return std::move(*shaken);
}

}  // namespace eider::detail::proxy
