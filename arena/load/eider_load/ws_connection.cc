#include "ws_connection.h"

#include <array>
#include <utility>

#include "eider/http/ws/handshake.h"
#include "eider/http/ws/refusal.h"
#include "upgrade_answer.h"

namespace load {

namespace {

using eider::ws::EventKind;

constexpr std::size_t kHeadBytesMax = std::size_t{16} * 1024;
constexpr std::string_view kHeadEnd = "\r\n\r\n";
constexpr eider::ws::MessageLimits kLimits{.message_bytes_max = std::uint64_t{64} << 20U};

std::string upgrade_request(const Options& options, std::string_view key) {
  std::string request = "GET " + options.path + " HTTP/1.1\r\nHost: " + options.host_field +
                        "\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n";
  for (const std::string& field : options.fields) {
    request += field + "\r\n";
  }
  request += "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ";
  return request.append(key) + "\r\n\r\n";
}

}  // namespace

eider::ws::MaskKey QuickMasks::next() {
  const std::uint64_t bits = random_();
  return {static_cast<unsigned char>(bits), static_cast<unsigned char>(bits >> 8U),
          static_cast<unsigned char>(bits >> 16U), static_cast<unsigned char>(bits >> 24U)};
}

std::string QuickMasks::next_key() {
  std::array<unsigned char, 16> bytes{};
  for (std::size_t i = 0; i < bytes.size(); i += 4) {
    const eider::ws::MaskKey four = next();
    std::copy(four.begin(), four.end(), bytes.begin() + static_cast<std::ptrdiff_t>(i));
  }
  const auto key = eider::ws::make_key(bytes);
  return {key.data(), key.size()};
}

WsConnection::WsConnection(eider::Loop& loop, WsOwner& owner, WsShared& shared, std::size_t index)
    : owner_(owner),
      shared_(shared),
      reader_(eider::ws::Side::client, kLimits),
      writer_(shared.masks),
      stream_(loop, *this),
      index_(index) {}

void WsConnection::open(eider::Descriptor fd) {
  stream_.open(std::move(fd));
  key_ = shared_.masks.next_key();
  stream_.output().append(upgrade_request(shared_.options, key_));
}

void WsConnection::send(std::string_view text) {
  writer_.message(stream_.output(), {}, text);
}

void WsConnection::give_up(Failure kind, std::string why) {
  stream_.close();
  if (!is_leaving_) {
    why_ = std::move(why);
    owner_.on_gone(*this, kind);
  }
}

void WsConnection::leave() {
  is_leaving_ = true;
  writer_.close(stream_.output(), eider::ws::CloseCode::normal);
}

void WsConnection::on_bytes(std::string_view bytes) {
  std::string_view in = is_upgraded_ ? bytes : read_upgrade(bytes);
  while (is_ready()) {
    const eider::ws::Event event = reader_.read(in, shared_.scratch);
    in.remove_prefix(event.consumed);
    if (!take_event(event)) {
      return;
    }
  }
}

std::string_view WsConnection::read_upgrade(std::string_view bytes) {
  const std::size_t kept = head_.size();
  head_.append(bytes);
  const std::size_t end = head_.find(kHeadEnd);
  if (end != std::string::npos) {
    check_upgrade(std::string_view(head_).substr(0, end));
    return bytes.substr(end + kHeadEnd.size() - kept);
  }
  if (head_.size() > kHeadBytesMax) {
    give_up(Failure::malformed, "a head without an end");
  }
  return {};
}

void WsConnection::check_upgrade(std::string_view head) {
  const UpgradeAnswer answer = read_upgrade_answer(head);
  const auto agreed = eider::ws::check_answer(answer.status, answer.fields, {.key = key_});
  if (!agreed) {
    const bool is_status = answer.status != 101;
    give_up(is_status ? Failure::wrong_status : Failure::malformed,
            is_status ? "status " + std::to_string(answer.status) + " instead of 101"
                      : "the upgrade's answer: " + std::string(agreed.error()));
    return;
  }
  is_upgraded_ = true;
}

bool WsConnection::take_event(const eider::ws::Event& event) {
  switch (event.kind) {
    case EventKind::need_more:
      return false;
    case EventKind::message:
      if (!is_leaving_) {
        owner_.on_message(*this, event.data);
      }
      return true;
    case EventKind::ping:
      writer_.pong(stream_.output(), event.data);
      return true;
    case EventKind::piece:
    case EventKind::pong:
      return true;
    case EventKind::close:
      give_up(Failure::closed, "the server closes with " +
                                   std::to_string(static_cast<unsigned>(event.code)) + " " +
                                   std::string(event.data));
      return false;
    case EventKind::refused:
      give_up(Failure::malformed, std::string(event.data));
      return false;
  }
  return false;
}

void WsConnection::on_end() {
  give_up(Failure::closed, is_upgraded_ ? "the server ended the connection"
                                        : "the server ended the connection before the upgrade");
}

void WsConnection::on_broken(eider::NetError error) {
  give_up(Failure::reset, std::string(eider::text(error)));
}

}  // namespace load
