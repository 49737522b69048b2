#include <new>

#include "eider/io/tls/openssl.h"

namespace eider::detail::tls {

std::string take_openssl_error() {
  const unsigned long code = ERR_peek_last_error();
  const char* reason = code == 0 ? nullptr : ERR_reason_error_string(code);
  // The reason is a constant of the library, so it outlives the queue.
  ERR_clear_error();
  return reason == nullptr ? "unknown error" : reason;
}

void ensure_memory(const void* object) {
  if (object == nullptr) {
    ERR_clear_error();
    throw std::bad_alloc();
  }
}

SslPtr make_ssl(SSL_CTX* context, void (*set_side)(SSL*)) {
  SslPtr ssl(SSL_new(context));
  ensure_memory(ssl.get());
  set_side(ssl.get());
  // OpenSSL 3.2 and later allocate record layers in `set_side`. If that fails, only the state shows
  // it: `set_side` returns nothing, and SSL_set_bio would dereference the missing layer.
  ensure_memory(SSL_in_before(ssl.get()) == 1 ? ssl.get() : nullptr);
  return ssl;
}

}  // namespace eider::detail::tls
