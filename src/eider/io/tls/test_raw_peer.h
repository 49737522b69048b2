// The other side with plain OpenSSL, with settings that Eider's own sides never have.
// Layering: must not be used outside of tests.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "eider/io/runtime/seal.h"
#include "eider/io/tls/openssl.h"

namespace eider::detail::tls {

/// Accepts nearly everything, so that rejections come from the seal.
class TestRawPeer {
 public:
  explicit TestRawPeer(const SSL_METHOD* method) : context(SSL_CTX_new(method)) {
    SSL_CTX_set_security_level(context.get(), 0);
    SSL_CTX_set_min_proto_version(context.get(), TLS1_VERSION);
    SSL_CTX_set_cipher_list(context.get(), "ALL:eNULL:@SECLEVEL=0");
    SSL_CTX_set_verify(context.get(), SSL_VERIFY_NONE, nullptr);
  }

  /// Creates the connection, with the settings of `context`.
  SSL* open() {
    ssl.reset(SSL_new(context.get()));
    SSL_set_bio(ssl.get(), BIO_new(BIO_s_mem()), BIO_new(BIO_s_mem()));
    return ssl.get();
  }

  /// Passes messages until neither side has more; returns whether both have completed the
  /// handshake.
  bool shake_hands(Seal& seal) {
    Buffer wire;
    seal.start(wire);
    for (int turn = 0; turn < 10; ++turn) {
      is_done = SSL_do_handshake(ssl.get()) == 1;
      ERR_clear_error();
      pump(seal, wire);
    }
    return is_done && seal.state() == SealState::open;
  }

  /// Passes pending bytes in both directions.
  void pump(Seal& seal, Buffer& wire) {
    static_cast<void>(seal.feed(take(), wire));
    std::array<char, 4096> room{};
    while (const std::size_t count = seal.read(room, wire)) {
      heard.append(room.data(), count);
    }
    give(wire.view());
    wire.clear();
  }

  void give(std::string_view bytes) const {
    BIO_write(SSL_get_rbio(ssl.get()), bytes.data(), static_cast<int>(bytes.size()));
  }
  [[nodiscard]] std::string take() const {
    std::string bytes(BIO_ctrl_pending(SSL_get_wbio(ssl.get())), '\0');
    BIO_read(SSL_get_wbio(ssl.get()), bytes.data(), static_cast<int>(bytes.size()));
    return bytes;
  }

  SslContextPtr context;
  SslPtr ssl;
  bool is_done = false;
  std::string heard;  // the plaintext that the seal has read
};

struct TestRawClient : TestRawPeer {
  TestRawClient() : TestRawPeer(TLS_client_method()) {}
};

}  // namespace eider::detail::tls
