// Counts what an idle TLS connection keeps of the heap, at its server's end.
#include <gtest/gtest.h>
#include <malloc.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>

#include "eider/tls/detail/seal_engine.h"
#include "eider/tls/detail/test_pki.h"
#include "eider/tls/detail/test_raw_peer.h"
#include "eider/tls/tls.h"

namespace {

std::atomic<std::size_t> bytes_in_use{0};

void* count_malloc(std::size_t bytes, const char*, int) {
  void* const memory = std::malloc(bytes);
  bytes_in_use += malloc_usable_size(memory);
  return memory;
}

void count_free(void* memory, const char*, int) {
  bytes_in_use -= malloc_usable_size(memory);
  std::free(memory);
}

void* count_realloc(void* old, std::size_t bytes, const char*, int) {
  const std::size_t before = malloc_usable_size(old);
  void* const memory = std::realloc(old, bytes);
  if (memory != nullptr) {
    bytes_in_use += malloc_usable_size(memory);
    bytes_in_use -= before;
  }
  return memory;
}

/// Before OpenSSL has allocated anything, or it refuses.
const bool is_counting = CRYPTO_set_mem_functions(count_malloc, count_realloc, count_free) == 1;

}  // namespace

namespace eider::detail {
namespace {

constexpr std::size_t kConnections = 200;
/// Half of it is OpenSSL's SSL itself; then come the keys of both directions and the session.
constexpr std::size_t kIdleBytesMax = 15'500;

struct Idle {
  TestRawClient client;
  std::unique_ptr<Seal> server;
};

class IdleMemory : public testing::TestWithParam<int> {
 protected:
  IdleMemory() {
    TlsOptions options;
    options.certificate = files.write("a", make_test_certificate({.names = "DNS:a.example"}));
    maker = make_server_tls(options, nullptr).value();
  }

  /// Makes a connection that has carried a request and an answer. returns  bytes the server keeps
  std::size_t connect(Idle& one) {
    SSL_CTX_set_max_proto_version(one.client.context.get(), GetParam());
    SSL_set_connect_state(one.client.open());
    one.server = maker->make();
    EXPECT_TRUE(one.client.shake_hands(*one.server));
    Buffer wire;
    SSL_write(one.client.ssl.get(), "hello", 5);
    one.client.pump(*one.server, wire);
    EXPECT_EQ(one.client.heard, "hello");
    EXPECT_TRUE(one.server->write(std::string(30'000, 'x'), wire));
    one.client.pump(*one.server, wire);
    wire.release();
    // What a whole connection takes less what is left without the server's end.
    const std::size_t with = bytes_in_use;
    one.server.reset();
    return with - bytes_in_use + sizeof(SealEngine);
  }

  TestFiles files;
  std::shared_ptr<SealMaker> maker;
};

TEST_P(IdleMemory, is_bounded) {
  ASSERT_TRUE(is_counting);
  Idle warm_up;
  connect(warm_up);
  std::size_t bytes = 0;
  for (std::size_t index = 0; index < kConnections; ++index) {
    Idle one;
    bytes += connect(one);
  }
  const std::size_t each = bytes / kConnections;
  std::printf("[ idle     ] %zu bytes each\n", each);
  EXPECT_LE(each, kIdleBytesMax);
  EXPECT_GE(each, 1000U) << "something must have been counted";
}

INSTANTIATE_TEST_SUITE_P(Versions, IdleMemory, testing::Values(TLS1_2_VERSION, TLS1_3_VERSION));

}  // namespace
}  // namespace eider::detail
