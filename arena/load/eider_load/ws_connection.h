// One WebSocket connection of the generator: its handshake, messages out, whole messages in.
// Must not decide what is sent when, nor judge a message: its owner does.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>

#include "eider/base/buffer.h"
#include "eider/http/ws/message_reader.h"
#include "eider/http/ws/message_writer.h"
#include "eider/runtime/descriptor.h"
#include "eider/runtime/stream.h"
#include "failures.h"
#include "options.h"

namespace load {

class WsConnection;

/// Told by its connections. Each call may send on the connection, or close it.
class WsOwner {
 public:
  /// A whole message; valid until the call returns.
  virtual void on_message(WsConnection& connection, std::string_view message) = 0;
  /// The connection is closed for that reason; its why() says it in words.
  virtual void on_gone(WsConnection& connection, Failure kind) = 0;

 protected:
  ~WsOwner() = default;
};

/// Masks of a fast generator: nobody is to be kept from predicting them here.
class QuickMasks final : public eider::ws::MaskSource {
 public:
  explicit QuickMasks(std::uint64_t seed) : random_(seed) {}
  [[nodiscard]] eider::ws::MaskKey next() override;
  /// The value of a Sec-WebSocket-Key.
  [[nodiscard]] std::string next_key();

 private:
  std::mt19937_64 random_;
};

/// What all connections of a thread share.
struct WsShared {
  explicit WsShared(const Options& asked) : options(asked), masks(asked.seed) {}

  const Options& options;
  QuickMasks masks;
  eider::Buffer scratch;
};

class WsConnection final : private eider::StreamOwner {
 public:
  /// index   of the connection among its thread's
  /// shared  outlives it
  WsConnection(eider::Loop& loop, WsOwner& owner, WsShared& shared, std::size_t index);

  /// Takes over a connected socket and asks for the upgrade. Pre: not open.
  void open(eider::Descriptor fd);
  /// Sends one text message. Pre: is_ready().
  void send(std::string_view text);
  /// Closes and tells the owner, once, that it is gone for that reason; not when it is leaving.
  void give_up(Failure kind, std::string why);
  /// Begins the close handshake; the owner is told nothing more. Pre: is_ready().
  void leave();

  [[nodiscard]] bool is_open() const noexcept { return stream_.is_open(); }
  /// The server has agreed: messages can be sent.
  [[nodiscard]] bool is_ready() const noexcept { return is_open() && is_upgraded_; }
  [[nodiscard]] std::size_t index() const noexcept { return index_; }
  /// What was last wrong, in words.
  [[nodiscard]] const std::string& why() const noexcept { return why_; }

 private:
  void on_bytes(std::string_view bytes) override;
  void on_end() override;
  void on_drained() override {}
  void on_broken(eider::NetError error) override;

  /// What stands behind the answer to the upgrade; is_upgraded_ says whether that has come.
  std::string_view read_upgrade(std::string_view bytes);
  void check_upgrade(std::string_view head);
  /// False when the connection is gone or waits for more bytes.
  bool take_event(const eider::ws::Event& event);

  WsOwner& owner_;
  WsShared& shared_;
  eider::ws::MessageReader reader_;
  eider::ws::MessageWriter writer_;
  eider::Stream stream_;
  std::string key_;
  std::string head_;  // of the answer to the upgrade, until it is whole
  std::string why_;
  std::size_t index_;
  bool is_upgraded_ = false;
  bool is_leaving_ = false;
};

}  // namespace load
