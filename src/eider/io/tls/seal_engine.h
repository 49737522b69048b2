// The TLS of one connection with OpenSSL, for either end.
// Layering: must not decide what is accepted: the context of its SSL does.
#pragma once

#include <openssl/bio.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "eider/core/base/buffer.h"
#include "eider/io/tls/openssl.h"
#include "eider/io/tls/tls_seal.h"

namespace eider::detail::tls {

class SealEngine;

/// What OpenSSL reads and writes while it is called.
struct SealWire {
  /// Whose it is: callbacks find it by the SSL's BIO.
  SealEngine* engine = nullptr;
  /// Not read yet.
  std::string_view in = {};
  /// Null outside of a call.
  Buffer* out = nullptr;
  /// All that has been read, in bytes.
  std::size_t bytes_read = 0;
};

/// wire  outlives the BIO
[[nodiscard]] BIO* new_seal_bio(SealWire& wire);

/// Hears of the sessions that a server lets its client resume.
class SessionKeeper {
 public:
  virtual ~SessionKeeper() = default;
  virtual void keep(SessionPtr session) noexcept = 0;
};

class SealEngine final : public TlsSeal {
 public:
  /// No connection spends more on being made: a ClientHello has some hundred bytes, a chain of
  /// certificates some thousand.
  static constexpr std::size_t kHandshakeBytesMax = std::size_t{64} * 1024;
  /// OpenSSL's steps, some three for a message, between two pieces of plaintext: for some thirty
  /// changes of keys.
  static constexpr unsigned kIdleStepsMax = 96;
  /// Of early data that is skipped, since none is taken: it counts as part of the handshake.
  static constexpr std::uint32_t kEarlyBytesMax = std::uint32_t{32} * 1024;

  /// ssl     its side, and all that the handshake needs, are set
  /// keeper  a client's; null is none
  explicit SealEngine(SslPtr ssl, std::unique_ptr<SessionKeeper> keeper = nullptr);
  ~SealEngine() override;
  SealEngine(const SealEngine&) = delete;
  SealEngine& operator=(const SealEngine&) = delete;

  /// The callbacks that every context needs whose connections are SealEngines.
  static void prepare(SSL_CTX& context) noexcept;

  void start(Buffer& wire) override;
  [[nodiscard]] SealState feed(std::string_view ciphertext, Buffer& wire) override;
  [[nodiscard]] std::size_t read(std::span<char> into, Buffer& wire) override;
  [[nodiscard]] bool write(std::string_view plaintext, Buffer& wire) override;
  void end(Buffer& wire) override;
  [[nodiscard]] SealState state() const noexcept override { return state_; }
  [[nodiscard]] bool has_ended() const noexcept override { return has_ended_; }
  [[nodiscard]] std::string_view failure() const noexcept override;
  [[nodiscard]] TlsFailure reason() const noexcept override { return reason_; }
  [[nodiscard]] TlsInfo tls() const override;

 private:
  class Call;

  static void on_info(const SSL* ssl, int where, int value);
  static int on_session(SSL* ssl, SSL_SESSION* session);
  static SealEngine& of(const SSL* ssl) noexcept;

  void shake_hands();
  void note_lack_of_bytes();
  [[nodiscard]] bool may_write() const noexcept { return state_ == SealState::open; }
  [[nodiscard]] bool put(std::string_view plaintext);
  void keep(std::string_view ciphertext);
  void drop_what_was_read() noexcept;
  void note_end_of_reading();
  void note_step() noexcept;
  void refuse_large_handshake();
  void fail();
  void fail(TlsFailure reason, std::string_view detail);

  SealWire wire_;
  SslPtr ssl_;
  Buffer kept_;  // wire_.in is the rest of it, save while a handshake is fed
  std::unique_ptr<SessionKeeper> keeper_;
  std::unique_ptr<const std::string> failure_;
  SealState state_ = SealState::handshaking;
  TlsFailure reason_ = TlsFailure::none;
  TlsFailure refused_ = TlsFailure::none;  // found in a callback, told after it
  bool has_ended_ = false;
  unsigned idle_steps_ = 0;
};

}  // namespace eider::detail::tls
