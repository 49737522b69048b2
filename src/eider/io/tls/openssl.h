// Owners of OpenSSL's objects, and its error queue as text.
// Layering: must not be included by a public header.
#pragma once

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

#include <memory>
#include <string>
#include <string_view>

namespace eider::detail::tls {

template <auto kFree>
struct Freer {
  template <class T>
  void operator()(T* object) const noexcept {
    kFree(object);
  }
};

inline void free_certificates(STACK_OF(X509) * stack) noexcept {
  sk_X509_pop_free(stack, X509_free);
}

using SslPtr = std::unique_ptr<SSL, Freer<&SSL_free>>;
using SslContextPtr = std::unique_ptr<SSL_CTX, Freer<&SSL_CTX_free>>;
using SessionPtr = std::unique_ptr<SSL_SESSION, Freer<&SSL_SESSION_free>>;
using CertificatePtr = std::unique_ptr<X509, Freer<&X509_free>>;
using CertificatesPtr = std::unique_ptr<STACK_OF(X509), Freer<&free_certificates>>;
using KeyPtr = std::unique_ptr<EVP_PKEY, Freer<&EVP_PKEY_free>>;
using BioPtr = std::unique_ptr<BIO, Freer<&BIO_free>>;

/// Converts bytes to OpenSSL's type.
inline const unsigned char* octets(std::string_view bytes) noexcept {
  return reinterpret_cast<const unsigned char*>(bytes.data());
}
inline unsigned char* octets(std::string& bytes) noexcept {
  return reinterpret_cast<unsigned char*>(bytes.data());
}

/// Returns the last error of this thread in OpenSSL's words, and empties the queue.
[[nodiscard]] std::string take_openssl_error();

/// Removes errors of other code from the thread's queue; cheap if it is empty.
inline void forget_openssl_errors() noexcept {
  if (ERR_peek_error() != 0) {
    ERR_clear_error();
  }
}

/// Throws std::bad_alloc if OpenSSL returned null. Pre: only a lack of memory can cause it.
void ensure_memory(const void* object);

/// Creates a connection of `context`.
///
/// set_side  SSL_set_accept_state or SSL_set_connect_state
/// errors    std::bad_alloc
[[nodiscard]] SslPtr make_ssl(SSL_CTX* context, void (*set_side)(SSL*));

}  // namespace eider::detail::tls
