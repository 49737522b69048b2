#include "eider/io/tls/seal_bio.h"

#include <algorithm>
#include <cstring>
#include <new>

#include "eider/io/tls/openssl.h"

namespace eider::detail::tls {

namespace {

int read_from_seal(BIO* bio, char* into, std::size_t bytes_max, std::size_t* bytes) {
  auto& wire = *static_cast<SealWire*>(BIO_get_data(bio));
  BIO_clear_retry_flags(bio);
  *bytes = std::min(bytes_max, wire.in.size());
  if (*bytes == 0) {
    BIO_set_retry_read(bio);
    // OpenSSL asks again when more has come: this is no end.
    return -1;
  }
  std::memcpy(into, wire.in.data(), *bytes);
  wire.in.remove_prefix(*bytes);
  wire.bytes_read += *bytes;
  return 1;
}

/// No exception may pass through OpenSSL's frames: without memory the write fails.
int write_to_seal(BIO* bio, const char* from, std::size_t bytes, std::size_t* written) {
  const auto& wire = *static_cast<SealWire*>(BIO_get_data(bio));
  BIO_clear_retry_flags(bio);
  *written = 0;
  // Nothing may be written outside of a call, when nobody takes it.
  if (wire.out == nullptr) {
    return 0;
  }
  try {
    wire.out->append({from, bytes});
  } catch (const std::bad_alloc&) {
    return 0;
  }
  *written = bytes;
  return 1;
}

long control_seal(BIO*, int command, long, void*) {
  return command == BIO_CTRL_FLUSH ? 1 : 0;
}

int create_seal_bio(BIO* bio) {
  BIO_set_init(bio, 1);
  return 1;
}

using MethodPtr = std::unique_ptr<BIO_METHOD, Freer<&BIO_meth_free>>;

MethodPtr make_method() {
  MethodPtr method(BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "eider seal"));
  ensure_memory(method.get());
  BIO_meth_set_read_ex(method.get(), read_from_seal);
  BIO_meth_set_write_ex(method.get(), write_to_seal);
  BIO_meth_set_ctrl(method.get(), control_seal);
  BIO_meth_set_create(method.get(), create_seal_bio);
  return method;
}

}  // namespace

BIO* new_seal_bio(SealWire& wire) {
  // Never freed: connections may end after the program's own objects.
  static const BIO_METHOD* const method = make_method().release();
  BIO* bio = BIO_new(method);
  ensure_memory(bio);
  BIO_set_data(bio, &wire);
  return bio;
}

}  // namespace eider::detail::tls
