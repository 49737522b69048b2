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
#include "eider/io/tls/client_sessions.h"
#include "eider/io/tls/openssl.h"
#include "eider/io/tls/tls_seal.h"

namespace eider::detail::tls {

class SealEngine;

/// The input and output of OpenSSL during a call.
struct SealWire {
  /// The owner; callbacks find it with the SSL's BIO.
  SealEngine* engine = nullptr;
  /// The input that was not read yet.
  std::string_view in = {};
  /// Null outside of a call.
  Buffer* out = nullptr;
  /// The number of bytes that were read in total.
  std::size_t bytes_read = 0;
};

/// wire  must outlive the BIO
[[nodiscard]] BIO* new_seal_bio(SealWire& wire);

class SealEngine final : public TlsSeal {
 public:
  /// The limit of a handshake. A ClientHello has some hundred bytes, a chain of certificates some
  /// thousand.
  static constexpr std::size_t kHandshakeBytesMax = std::size_t{64} * 1024;
  /// The limit of OpenSSL's steps (about three per message) between two pieces of plaintext: enough
  /// for about thirty key updates.
  static constexpr unsigned kIdleStepsMax = 96;
  /// The limit of early data, which is skipped because it is not supported; it counts as part of
  /// the handshake.
  static constexpr std::uint32_t kEarlyBytesMax = std::uint32_t{32} * 1024;

  /// ssl     with its side and everything that the handshake needs
  /// keeper  for clients; may be null
  explicit SealEngine(SslPtr ssl, std::unique_ptr<SessionKeeper> keeper = nullptr);
  ~SealEngine() override;
  SealEngine(const SealEngine&) = delete;
  SealEngine& operator=(const SealEngine&) = delete;

  /// Sets the callbacks that a context needs for connections with SealEngine.
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
  Buffer kept_;  // wire_.in is the rest of it, except while a handshake is processed
  std::unique_ptr<SessionKeeper> keeper_;
  std::unique_ptr<const std::string> failure_;
  SealState state_ = SealState::handshaking;
  TlsFailure reason_ = TlsFailure::none;
  TlsFailure refused_ = TlsFailure::none;  // found in a callback, reported after it
  bool has_ended_ = false;
  unsigned idle_steps_ = 0;
};

}  // namespace eider::detail::tls
