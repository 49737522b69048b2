// ConnectionH1: what comes ahead of HTTP: a balancer's word, TLS's handshake, early data.
#include <optional>
#include <string>
#include <utility>

#include "eider/server/detail/conn_h1_aside.h"

namespace eider::detail {

namespace {

constexpr int kBadRequest = 400;

/// As Peer::address; empty where the proxy speaks for itself.
std::string source_of(const ProxyHeader& header) {
  switch (header.kind) {
    case ProxyHeader::Kind::local:
      return {};
    case ProxyHeader::Kind::ip:
      return header.source.address.to_text();
    case ProxyHeader::Kind::unix_socket:
      return "unix:" + header.source.path;
  }
  return {};
}

}  // namespace

ConnectionH1::ConnectionH1(LoopContext& context) noexcept
    : context_(context), stream_(context.loop, *this), alarm_(*this) {}

ConnectionH1::~ConnectionH1() {
  end_handshake();
  end_exchange();
}

void ConnectionH1::open(Descriptor fd, Preface preface) {
  stream_.open(std::move(fd));
  expect(Patience::first_byte, context_.limits.first_byte);
  if (!preface.has_proxy_protocol && preface.seals == nullptr) {
    return;
  }
  state_ = State::preface;
  aside_ = std::make_unique<Aside>();
  aside_->seals = preface.seals;
  if (preface.has_proxy_protocol) {
    aside_->preface = std::make_unique<ProxyReader>();
  }
}

// A handshake costs much and needs no more than a connection: so there are only so many.
void ConnectionH1::secure(SealMaker& seals, std::string_view received) {
  if (context_.handshakes >= context_.handshakes_max) {
    state_ = State::closed;
    return;
  }
  ++context_.handshakes;
  is_shaking_hands_ = true;
  state_ = State::preface;  // so that the first bytes can be told to be early
  expect(Patience::first_byte, context_.limits.handshake);
  stream_.secure(seals.make(), received);
}

void ConnectionH1::on_secured() {
  end_handshake();
  if (has_early_) {
    end_early();
    return;
  }
  state_ = State::ready;
  expect(Patience::first_byte, context_.limits.first_byte);
}

/// The first bytes have come ahead of the handshake's end, which is still waited for.
void ConnectionH1::begin_early() {
  if (aside_ == nullptr) {
    aside_ = std::make_unique<Aside>();
  }
  aside_->early = std::make_unique<Early>(*this, due_);
  has_early_ = true;
  state_ = State::ready;
}

void ConnectionH1::end_early() {
  has_early_ = !saved_.empty();
  if (!has_early_) {
    aside_->early.reset();
  }
  if (state_ == State::upgraded) {
    aside_->takeover->protocol->on_secured();
  } else if (!has_early_ && !aside_->takeover && aside_->proxied_address.empty()) {
    aside_.reset();
  }
}

void ConnectionH1::note_late(std::size_t bytes) noexcept {
  aside_->early->late_bytes += bytes;
}

/// Whether the request began in early data.
///
/// unread_bytes  of its head, and of what has come behind it
bool ConnectionH1::is_early(std::size_t unread_bytes) noexcept {
  if (!is_shaking_hands_) {
    has_early_ = !saved_.empty() && unread_bytes > aside_->early->late_bytes;
  }
  return has_early_;
}

void ConnectionH1::end_handshake() noexcept {
  if (is_shaking_hands_) {
    is_shaking_hands_ = false;
    --context_.handshakes;
  }
}

std::string ConnectionH1::address() const {
  if (aside_ != nullptr && !aside_->proxied_address.empty()) {
    return aside_->proxied_address;
  }
  const auto peer = stream_.is_open() ? stream_.peer() : fail(NetError::closed);
  return peer ? peer->host() : std::string();
}

std::optional<SecuredBy> ConnectionH1::secured_by() const {
  const Seal* seal = stream_.is_open() ? stream_.seal() : nullptr;
  return seal == nullptr ? std::nullopt : std::optional(seal->secured_by());
}

void ConnectionH1::read_preface(std::string_view bytes) {
  if (aside_ != nullptr && aside_->preface != nullptr) {
    bytes = read_proxy_header(bytes);
  }
  if (bytes.empty()) {
    return;
  }
  if (state_ == State::ready) {
    serve_or_save(bytes);
  } else if (is_shaking_hands_) {
    begin_early();
    serve_or_save(bytes);
  } else {
    begin_sealed(bytes);
  }
}

// Who does not keep to it is not answered: it is no client, or a balancer that is set up wrong.
std::string_view ConnectionH1::read_proxy_header(std::string_view bytes) {
  const ProxyStep step = aside_->preface->read(bytes);
  switch (step.status) {
    case ProxyStatus::need_more:
      return {};
    case ProxyStatus::refused:
      state_ = State::closed;
      return {};
    case ProxyStatus::complete:
      break;
  }
  aside_->proxied_address = source_of(aside_->preface->header());
  aside_->preface.reset();
  if (aside_->seals == nullptr) {
    state_ = State::ready;
  }
  bytes.remove_prefix(step.consumed);
  return bytes;
}

void ConnectionH1::begin_sealed(std::string_view bytes) {
  SealMaker& seals = *aside_->seals;
  state_ = State::ready;
  if (aside_->proxied_address.empty()) {
    aside_.reset();
  }
  if (seals.may_begin(bytes)) {
    secure(seals, bytes);
  } else {
    refuse(kBadRequest, "This port speaks HTTPS: ask again with https://.", Method::unknown);
  }
}

}  // namespace eider::detail
