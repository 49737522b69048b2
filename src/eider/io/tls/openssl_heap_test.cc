// Counts the heap memory of an idle TLS connection, and makes each of OpenSSL's allocations fail.
#include <gtest/gtest.h>
#include <malloc.h>

#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <new>

#include "eider/io/tls/seal_engine.h"
#include "eider/io/tls/test_pair.h"
#include "eider/io/tls/test_pki.h"
#include "eider/io/tls/test_raw_peer.h"
#include "eider/io/tls/tls.h"
#include "eider/io/tls/tls_client.h"

namespace {

std::atomic<std::size_t> bytes_in_use{0};
/// The number of the allocation that fails, counted from now on; 0: none.
std::atomic<long> fails_at{0};

bool is_to_fail() {
  return fails_at > 0 && --fails_at == 0;
}

void* count_malloc(std::size_t bytes, const char*, int) {
  if (is_to_fail()) {
    return nullptr;
  }
  void* const memory = std::malloc(bytes);
  bytes_in_use += malloc_usable_size(memory);
  return memory;
}

void count_free(void* memory, const char*, int) {
  bytes_in_use -= malloc_usable_size(memory);
  std::free(memory);
}

void* count_realloc(void* old, std::size_t bytes, const char*, int) {
  if (is_to_fail()) {
    return nullptr;
  }
  const std::size_t before = malloc_usable_size(old);
  void* const memory = std::realloc(old, bytes);
  if (memory != nullptr) {
    bytes_in_use += malloc_usable_size(memory);
    bytes_in_use -= before;
  }
  return memory;
}

/// Must run before OpenSSL has allocated anything; otherwise OpenSSL rejects it.
const bool is_counting = CRYPTO_set_mem_functions(count_malloc, count_realloc, count_free) == 1;

}  // namespace

namespace eider::detail::tls {
namespace {

constexpr std::size_t kConnections = 200;
/// Half of it is OpenSSL's SSL itself; the rest is mainly the keys of both directions and the
/// session. OpenSSL 3.2 and later need more.
constexpr std::size_t kIdleBytesMax = OPENSSL_VERSION_NUMBER < 0x30200000L ? 15'500 : 23'500;

struct Idle {
  TestRawClient client;
  std::unique_ptr<Seal> server;
};

class OpensslHeap : public ::testing::TestWithParam<int> {
 protected:
  OpensslHeap() {
    TlsOptions options;
    options.certificate = files.write("a", make_test_certificate({.names = "DNS:a.example"}));
    maker = make_server_tls(options, nullptr).value();
  }

  /// Makes a connection that has carried a request and a response. returns  the bytes that the
  /// server keeps
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
    // The memory of a whole connection minus the rest without the server's side.
    const std::size_t with = bytes_in_use;
    one.server.reset();
    return with - bytes_in_use + sizeof(SealEngine);
  }

  TestFiles files;
  std::shared_ptr<SealMaker> maker;
};

TEST_P(OpensslHeap, is_used_little_when_idle) {
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

INSTANTIATE_TEST_SUITE_P(Versions, OpensslHeap, ::testing::Values(TLS1_2_VERSION, TLS1_3_VERSION));

/// One connection; the allocations of its server count. May throw std::bad_alloc.
void talk(SealMaker& maker, TestRawClient& client, long failing_at) {
  SSL* const ssl = client.open();
  SSL_set_connect_state(ssl);
  Buffer wire;
  fails_at = failing_at;
  const std::unique_ptr<Seal> server = maker.make();
  for (int turn = 0; turn < 3 && server->state() != SealState::failed; ++turn) {
    const long left = fails_at.exchange(0);
    SSL_do_handshake(ssl);
    SSL_write(ssl, "hello", 5);
    ERR_clear_error();
    fails_at = left;
    client.pump(*server, wire);
  }
  if (server->state() == SealState::open) {
    static_cast<void>(server->write("welcome", wire));
    server->end(wire);
  }
}

TEST_P(OpensslHeap, is_left_in_order_when_any_request_to_the_heap_fails) {
  ASSERT_TRUE(is_counting);
  long requests = 0;
  bool has_failed = true;
  for (; has_failed && requests < 10'000; ++requests) {
    TestRawClient client;
    SSL_CTX_set_max_proto_version(client.context.get(), GetParam());
    try {
      talk(*maker, client, requests + 1);
    } catch (const std::bad_alloc&) {
    }
    has_failed = fails_at.exchange(0) <= 0;
    ERR_clear_error();
  }
  std::printf("[ requests ] %ld\n", requests);
  EXPECT_GT(requests, 100);
  EXPECT_FALSE(has_failed);
  TestRawClient client;
  SSL_set_connect_state(client.open());
  EXPECT_TRUE(client.shake_hands(*maker->make())) << "the next one is served";
}

// If OpenSSL did not get the name, it would accept any certificate of a trusted authority.
TEST(OpensslHeapOfClients, is_never_so_short_that_another_servers_name_will_do) {
  ASSERT_TRUE(is_counting);
  TestFiles files;
  const TestCertificate authority =
      make_test_certificate({.name = "Authority", .is_authority = true});
  TlsOptions server_options;
  server_options.certificate =
      files.write("a", make_test_certificate({.names = "DNS:a.example"}, &authority));
  const auto maker = make_server_tls(server_options, nullptr).value();
  TlsClientOptions options;
  options.trusts_system = false;
  options.authorities = files.write("ca.pem", to_pem(*authority.certificate));
  const auto context = TlsClientContext::make(options).value();
  for (const char* host : {"b.example", "127.0.0.1", "::1"}) {
    long requests = 0;
    for (bool has_failed = true; has_failed && requests < 10'000; ++requests) {
      fails_at = requests + 1;
      try {
        auto seal = context->make_seal({.host = host});
        has_failed = fails_at.exchange(0) <= 0;
        if (seal) {
          TestPair pair(std::move(*seal), maker->make());
          EXPECT_FALSE(pair.shake_hands()) << host << " " << requests;
        }
      } catch (const std::bad_alloc&) {
        fails_at = 0;
      }
      ERR_clear_error();
    }
    EXPECT_GT(requests, 10);
    EXPECT_LT(requests, 10'000);
  }
}

/// Calls all functions that may still be called on a failed connection.
void use_after_handshake(Seal& seal, Buffer& wire) {
  std::array<char, 16> room{};
  static_cast<void>(seal.tls());
  static_cast<void>(seal.feed("more", wire));
  EXPECT_EQ(seal.read(room, wire), 0U);
  static_cast<void>(seal.write("hello", wire));
  seal.end(wire);
  EXPECT_EQ(seal.state() == SealState::failed, !seal.failure().empty());
}

TEST(OpensslHeapOfClients, is_left_in_order_when_any_request_to_the_heap_fails) {
  ASSERT_TRUE(is_counting);
  TestFiles files;
  TlsOptions server_options;
  server_options.certificate = files.write("a", make_test_certificate({.names = "DNS:a.example"}));
  const auto maker = make_server_tls(server_options, nullptr).value();
  const auto context =
      TlsClientContext::make({.verify = TlsVerify::nothing, .trusts_system = false}).value();
  long requests = 0;
  for (bool has_failed = true; has_failed && requests < 20'000; ++requests) {
    fails_at = requests + 1;
    try {
      if (auto seal = context->make_seal({.host = "a.example"})) {
        TestPair pair(std::move(*seal), maker->make());
        pair.shake_hands();
        use_after_handshake(*pair.client, pair.to_server);
        use_after_handshake(*pair.server, pair.to_client);
      }
    } catch (const std::bad_alloc&) {
    }
    has_failed = fails_at.exchange(0) <= 0;
    ERR_clear_error();
  }
  std::printf("[ requests ] %ld\n", requests);
  EXPECT_GT(requests, 100);
  EXPECT_LT(requests, 20'000);
}

}  // namespace
}  // namespace eider::detail::tls
