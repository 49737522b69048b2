#include <new>

#include "eider/tls/openssl.h"

namespace eider::detail::tls {

std::string take_openssl_error() {
  const unsigned long code = ERR_peek_last_error();
  const char* reason = code == 0 ? nullptr : ERR_reason_error_string(code);
  // The reason is a constant of the library's, so it outlives the queue.
  ERR_clear_error();
  return reason == nullptr ? "unknown error" : reason;
}

void ensure_memory(const void* object) {
  if (object == nullptr) {
    ERR_clear_error();
    throw std::bad_alloc();
  }
}

}  // namespace eider::detail::tls
