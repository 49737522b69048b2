#include "eider/server/connection.h"

#include <algorithm>
#include <utility>

#include "eider/server/connection_extra.h"
#include "eider/server/connections.h"

namespace eider::detail::server {

namespace {

constexpr RequestRefusal kNotHttps{400, "This port requires HTTPS: use https://."};
constexpr RequestRefusal kNotHttp2{505, "This port accepts only HTTP/2."};

/// Returns the client's address as in Peer::address; empty if the proxy itself is the client.
std::string source_of(const ProxyHeader& header) {
  switch (header.kind) {
    case ProxyHeader::Kind::local:
      return {};
    case ProxyHeader::Kind::ip:
      return header.source.address.to_text();
    case ProxyHeader::Kind::unix_socket:
      return unix_host(header.source.path);
  }
  return {};
}

}  // namespace

Connection::Connection(LoopContext& context) noexcept
    : context_(context), stream_(context.loop, *this), due_(), alarm_(*this) {}

// HTTP/1.1 ends first: destroying its request's handler may still use the client's address, the
// stream, the place and the handshake, so these must still exist.
Connection::~Connection() {
  h1_.end();
  if (place_ != PerAddress::kNoPlace) {
    context_.per_address->give_back(place_);
  }
  end_handshake();
  if (has_protocol_) {
    protocol_->on_line_gone();
  }
}

bool Connection::open(Descriptor fd, Preface preface) {
  versions_ = preface.versions;
  // The socket is opened first, because `try_take_place` reads the client's address from it.
  stream_.open(std::move(fd));
  // With the PROXY protocol, the socket's address is that of the load balancer for all clients.
  if (!preface.has_proxy_protocol && !try_take_place()) {
    return false;
  }
  await_first_bytes();
  expect(context_.loop.now() + context_.limits.first_byte);
  if (!preface.has_proxy_protocol && preface.seals == nullptr) {
    return true;
  }
  // HTTP/1.1 starts only after the PROXY header, TLS and the first bytes.
  h1_.leave();
  enter(preface.has_proxy_protocol ? Stage::proxied : Stage::sealed);
  opening().seals = preface.seals;
  return true;
}

bool Connection::is_idle() const noexcept {
  switch (stage_) {
    case Stage::http1:
      return h1_.is_idle();
    case Stage::proxied:
    case Stage::sealed:
      return stream_.waiting_bytes() == 0;
    case Stage::begins:
      return kept_first().empty() && stream_.waiting_bytes() == 0;
    case Stage::other:
    case Stage::closed:
      return false;
  }
  return false;
}

bool Connection::may_still_ask(Instant since) noexcept {
  const Limits& limits = context_.limits;
  if (h1_.has_answered()) {
    const Instant silent_since = due_ - limits.idle;
    return silent_since <= since && context_.loop.now() < silent_since + kTimeToAsk;
  }
  const Instant silent_since = due_ - (is_shaking_hands_ ? limits.handshake : limits.first_byte);
  return context_.loop.now() < std::max(since, silent_since) + kTimeToAsk;
}

void Connection::stop_endless() {
  if (stage_ == Stage::http1) {
    h1_.stop_endless();
    const Instant due = context_.loop.now() + kSilenceWhileStopping;
    if (context_.is_waited_for && h1_.is_receiving() && due < due_) {
      expect(due);  // a request that is incomplete when the server stops
    }
  } else if (stage_ == Stage::other && !is_stopping_) {
    is_stopping_ = true;
    protocol_->on_stopping();
  }
}

// Counting.

Spoken Connection::spoken() const noexcept {
  switch (stage_) {
    case Stage::http1:
      return Spoken::http1;
    case Stage::proxied:
    case Stage::sealed:
    case Stage::begins:
      return Spoken::opening;
    case Stage::other:
      return is_websocket_ ? Spoken::websocket : Spoken::http2;
    case Stage::closed:
      break;
  }
  return Spoken::closing;
}

bool Connection::is_busy() const noexcept {
  return stage_ == Stage::other ? waiting_bytes() != 0 : !is_idle();
}

void Connection::enter(Stage stage) noexcept {
  context_.numbers->take_off(spoken());
  stage_ = stage;
  context_.numbers->add(spoken());
}

void Connection::end_count() noexcept {
  context_.numbers->take_off(spoken());
  stage_ = Stage::closed;
}

// Events of the stream.

void Connection::on_bytes(std::string_view bytes) {
  if (h1_.is_spoken()) [[likely]] {
    h1_.on_bytes(bytes);
    finish();
  } else {
    take_bytes(bytes);
    finish_any();
  }
}

void Connection::take_bytes(std::string_view bytes) {
  // The piece may also contain bytes after the PROXY header.
  if (stage_ == Stage::proxied) {
    bytes = read_proxy_header(bytes);
  }
  if (bytes.empty()) {
    return;
  }
  switch (stage_) {
    case Stage::http1:
      h1_.on_bytes(bytes);
      break;
    case Stage::sealed:
      begin_sealed(bytes);
      break;
    case Stage::begins:
      begin_protocol(bytes);
      break;
    case Stage::other:
      protocol_->on_bytes(bytes);
      break;
    case Stage::proxied:
    case Stage::closed:
      break;
  }
}

void Connection::on_end() {
  switch (stage_) {
    case Stage::begins:
      begin_h1(kept_first());
      h1_.on_end();
      break;
    case Stage::http1:
      h1_.on_end();
      break;
    case Stage::other:
      protocol_->on_end();
      break;
    case Stage::proxied:
    case Stage::sealed:
    case Stage::closed:
      end_now();
      return;
  }
  finish_any();
}

void Connection::on_drained() {
  // Stop measuring the rate first: the code below may write more output.
  if (extra_ != nullptr && extra_->pace != nullptr) {
    extra_->pace->note_drained(unread_bytes(), context_.loop.now());
  }
  h1_.on_drained();
  if (stage_ == Stage::other) {
    protocol_->on_drained();
  }
  finish_any();
}

void Connection::on_broken(NetError) {
  // Notify the protocol while its line and the connection still exist.
  if (stage_ == Stage::other) {
    protocol_->on_broken();
  }
  end_now();
}

// After the handshake, the connection counts as open, and its first bytes get their own deadline.
void Connection::on_secured() {
  end_handshake();
  await_first_bytes();
  expect(context_.loop.now() + context_.limits.first_byte);
}

// PROXY header, TLS and protocol selection.

/// Counts the connection for its client. Connections without an IP address are not counted: Unix
/// sockets, health checks of a load balancer.
bool Connection::try_take_place() {
  const std::size_t limit = context_.limits.connections_per_address_max;
  if (limit == 0 || context_.per_address == nullptr) {
    return true;
  }
  // The parsed address is not stored: few connections need it again.
  const auto client = IpAddress::parse(is_proxied() ? address() : socket_address());
  const bool by_proxy = context_.service.trusts_proxies() || is_proxied();
  const std::size_t most = client ? connections_max_of(*client, limit, by_proxy) : 0;
  if (most == 0) {
    return true;
  }
  place_ = context_.per_address->try_take(*client, most).value_or(PerAddress::kNoPlace);
  return place_ != PerAddress::kNoPlace;
}

// If only HTTP/1.1 is possible, the first bytes need not be examined.
void Connection::await_first_bytes() {
  const bool is_certain = context_.protocol == nullptr || versions_ == HttpVersions::http1;
  enter(is_certain ? Stage::http1 : Stage::begins);
  if (stage_ == Stage::http1) {
    h1_.start();
  } else {
    h1_.leave();
  }
}

// A connection without a valid PROXY header gets no response: its peer is not the load balancer, or
// the load balancer is misconfigured.
std::string_view Connection::read_proxy_header(std::string_view bytes) {
  const ProxyStep step = opening().proxy_reader.read(bytes);
  if (step.status == ProxyStatus::need_more) {
    return {};
  }
  if (step.status == ProxyStatus::refused) {
    enter(Stage::closed);
    return {};
  }
  // Store the address first: the connection counts for the client, not for the load balancer.
  if (std::string source = source_of(opening().proxy_reader.header()); !source.empty()) {
    extra_->client = std::make_unique<const Client>(std::move(source), true);
  }
  if (is_proxied() && !try_take_place()) {
    enter(Stage::closed);
    return {};
  }
  if (opening().seals != nullptr) {
    enter(Stage::sealed);
  } else {
    // `bytes` is in the stream's buffer, so nothing that end_opening frees is still read.
    end_opening();
    await_first_bytes();
  }
  bytes.remove_prefix(step.consumed);
  return bytes;
}

// A handshake is costly for the server and cheap for the client, so their number is limited.
void Connection::begin_sealed(std::string_view bytes) {
  SealMaker& seals = *opening().seals;
  end_opening();
  if (!seals.may_begin(bytes)) {
    enter(Stage::http1);
    h1_.start();
    h1_.refuse_unread(kNotHttps);
    return;
  }
  if (context_.handshakes >= context_.limits.handshakes_max) {
    enter(Stage::closed);
    return;
  }
  // Count it before securing the stream: the end of the handshake, which may follow at once,
  // decrements the counter.
  ++context_.handshakes;
  is_shaking_hands_ = true;
  expect(context_.loop.now() + context_.limits.handshake);
  stream_.secure(seals.make(), bytes);
}

void Connection::end_handshake() noexcept {
  if (is_shaking_hands_) {
    is_shaking_hands_ = false;
    --context_.handshakes;
  }
}

// Selects the protocol: the other one if ALPN agreed on it, or if the first bytes are its preface.
// While they are a part of the preface, they are kept.
void Connection::begin_protocol(std::string_view bytes) {
  const bool is_new = kept_first().empty();
  if (!is_new) {
    opening().first.append(bytes);
    bytes = kept_first();
  }
  const std::string_view preface = context_.protocol->preface();
  const bool is_agreed =
      stream_.seal() != nullptr && stream_.seal()->tls().protocol == context_.protocol->alpn_name();
  if (is_agreed || bytes.starts_with(preface)) {
    begin_other(Spoken::http2);
    set_protocol(context_.protocol->take_over(*this));
    protocol_->on_bytes(bytes);
    end_opening();  // after the call: `bytes` may be a view of the kept bytes
  } else if (!preface.starts_with(bytes)) {
    begin_h1(bytes);
  } else if (is_new) {
    opening().first.append(bytes);
    expect(context_.loop.now() + context_.limits.head);
  }
}

/// bytes  the first bytes; may be a view of the kept ones
void Connection::begin_h1(std::string_view bytes) {
  enter(Stage::http1);
  h1_.start();
  if (bytes.empty()) {
    // The client has sent nothing, for example a TCP health check.
  } else if (versions_ == HttpVersions::http2) {
    h1_.refuse_unread(kNotHttp2);
  } else {
    // `bytes` may be a view of the kept bytes, so these are freed only after this call.
    h1_.on_bytes(bytes);
  }
  end_opening();
}

Connection::Opening& Connection::opening() {
  if (extra().opening == nullptr) {
    extra_->opening = std::make_unique<Opening>();
  }
  return *extra_->opening;
}

/// Returns the kept first bytes, which may start another protocol.
std::string_view Connection::kept_first() const noexcept {
  const bool is_there = extra_ != nullptr && extra_->opening != nullptr;
  return is_there ? extra_->opening->first.view() : std::string_view();
}

void Connection::end_opening() noexcept {
  if (extra_ == nullptr) {
    return;
  }
  extra_->opening.reset();
  if (extra_->client == nullptr && extra_->unsent == nullptr && extra_->pace == nullptr &&
      extra_->room == nullptr && extra_->lingering == nullptr) {
    extra_.reset();
  }
}

// Another protocol than HTTP/1.1.

void Connection::begin_other(Spoken spoken) noexcept {
  alarm_.disarm();  // the protocol uses this alarm from now on, and has not armed it yet
  is_websocket_ = spoken == Spoken::websocket;
  enter(Stage::other);
}

void Connection::set_protocol(UpgradedPtr protocol) noexcept {
  protocol_ = protocol.release();
  has_protocol_ = true;
}

void Connection::hand_over(Upgrade& upgrade) {
  begin_other(Spoken::websocket);
  set_protocol(upgrade.take_over(*this));
}

void Connection::close() noexcept {
  enter(Stage::closed);
  context_.loop.arm(alarm_, context_.loop.now());
}

// The end. `end_now` destroys the connection, so it must be the last statement of a call.

void Connection::finish_h1() {
  if (stage_ != Stage::other) {
    end_now();
    return;
  }
  // Take the rest from HTTP/1.1 first: the protocol may end the connection within the call.
  const base::SavedInput rest = h1_.take_rest();
  // Bytes after the upgrade request are the first bytes of the new protocol.
  if (!rest.empty()) {
    protocol_->on_bytes(rest.view());
  }
  finish_any();
}

void Connection::finish_any() {
  if (stage_ == Stage::closed) {
    end_now();
  } else {
    finish();
  }
}

void Connection::end_now() {
  h1_.end();  // before the stream closes, which still knows how many bytes were not sent
  stream_.close();
  context_.connections->on_closed(*this);  // destroys this
}

// Deadlines.

// While idle, HTTP/1.1 also wakes up earlier, to check for a slow reader with unsent responses.
void Connection::rearm() {
  if (stage_ == Stage::other) {
    return;
  }
  armed_ = stage_ == Stage::http1 ? h1_.wake_at(due_) : due_;
  if (armed_ != Instant::max()) {
    context_.loop.arm(alarm_, armed_);
  }
}

void Connection::expire() {
  // The alarm has expired: a deadline that is set from here on arms it again.
  armed_ = Instant::max();
  if (stage_ == Stage::closed) {
    end_now();
    return;
  }
  if (stage_ == Stage::other) {
    protocol_->on_time();
    return;
  }
  const bool is_due = context_.loop.now() >= due_;
  if (stage_ == Stage::begins && is_due && !kept_first().empty()) {
    begin_h1(kept_first());  // rejects it, since the request headers are incomplete at the deadline
  }
  if (is_due && stage_ != Stage::http1 && stage_ != Stage::other) {
    end_now();
    return;
  }
  if (stage_ == Stage::http1) {
    h1_.on_time(is_due);
  }
  if (h1_.is_over()) {
    finish_h1();
  } else if (armed_ == Instant::max()) {
    rearm();
  }
}

Instant Connection::watch_reader() {
  std::unique_ptr<Pace>& pace = extra().pace;
  if (pace == nullptr) {
    pace = std::make_unique<Pace>();
  }
  pace->begin(unread_bytes(), context_.loop.now());
  return pace->due(context_.limits.write);
}

bool Connection::keeps_up() {
  const Instant now = context_.loop.now();
  return extra_->pace->keeps_up(unread_bytes(), now, context_.limits.written_bytes_least(now));
}

// Waiting for the output budget.

void Connection::Room::await(Connection& connection) {
  connection.h1_.expect(H1::Awaits::nothing, Instant::max());
  std::unique_ptr<Room>& room = connection.extra().room;
  if (room == nullptr) {
    room = std::make_unique<Room>(connection);
  }
  connection.context_.output.await_room(*room);
}

void Connection::Room::probe() {
  LoopContext& context = connection_.context_;
  connection_.h1_.expect(H1::Awaits::nothing, Instant::max());
  const auto read = context.reader.read(connection_.h1_.input().view(), context.head_limits);
  if (read == h1::HeadStatus::complete && context.request.head().minor_version != 0) {
    connection_.stream_.output().append(h1::kContinue);
  }
}

// The client's address.

Connection::Extra& Connection::extra() const {
  if (extra_ == nullptr) {
    extra_ = std::make_unique<Extra>();
  }
  return *extra_;
}

bool Connection::is_proxied() const noexcept {
  return extra_ != nullptr && extra_->client != nullptr && extra_->client->is_proxied;
}

std::string Connection::socket_address() const {
  const auto peer = stream_.is_open() ? stream_.peer() : fail(NetError::closed);
  return peer ? peer->host() : std::string();
}

// Cached, because a proxy, an access log or a rate limit reads it for each request, and this is a
// system call.
std::string Connection::address() const {
  std::unique_ptr<const Client>& client = extra().client;
  if (client == nullptr) {
    client = std::make_unique<const Client>(socket_address(), false);
  }
  return client->address;
}

void Connection::inform(int status, std::string_view field_lines) {
  h1_.send_interim(context_.request.head(), status, field_lines);
}

std::optional<TlsInfo> Connection::tls() const {
  const Seal* seal = stream_.is_open() ? stream_.seal() : nullptr;
  return seal == nullptr ? std::nullopt : std::optional(seal->tls());
}

}  // namespace eider::detail::server
