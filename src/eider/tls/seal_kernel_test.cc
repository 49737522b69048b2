// A server's seal that a kernel takes over from: OpenSSL's client reads on as if nothing was.
#include <gtest/gtest.h>
#include <linux/tls.h>

#include <array>
#include <cstring>
#include <memory>
#include <string>

#include "eider/tls/detail/seal_engine.h"
#include "eider/tls/detail/server_tls.h"
#include "eider/tls/detail/test_early.h"
#include "eider/tls/detail/test_pki.h"
#include "eider/tls/detail/test_raw_peer.h"
#include "eider/tls/tls.h"

namespace eider::detail {
namespace {

constexpr std::uint8_t kAlert = 21;
constexpr std::uint8_t kData = 23;

/// Encrypts as the kernel does (RFC 8446, section 5.2; RFC 5288; RFC 7905), with what it was given.
class PaperKernel final : public KernelTls {
 public:
  bool take_over(int, std::string_view) noexcept override { return true; }
  void send_alert(int, std::string_view) noexcept override {}

  void take(std::string_view keys) {
    ASSERT_LE(keys.size(), room_.size());
    std::memcpy(room_.data(), keys.data(), keys.size());
    const auto& info = as<tls_crypto_info>();
    is_tls13_ = info.version == TLS_1_3_VERSION;
    if (info.cipher_type == TLS_CIPHER_AES_GCM_128) {
      take_aes(as<tls12_crypto_info_aes_gcm_128>(), EVP_aes_128_gcm());
    } else if (info.cipher_type == TLS_CIPHER_AES_GCM_256) {
      take_aes(as<tls12_crypto_info_aes_gcm_256>(), EVP_aes_256_gcm());
    } else {
      const auto& chacha = as<tls12_crypto_info_chacha20_poly1305>();
      cipher_ = EVP_chacha20_poly1305();
      key_ = text(chacha.key);
      iv_ = text(chacha.iv);
      number_ = text(chacha.rec_seq);
    }
  }

  /// One record of that type, and counts it.
  std::string seal(std::uint8_t type, std::string plain) {
    const bool is_explicit = !is_tls13_ && salt_bytes_ != 0;
    if (is_tls13_) {
      plain += static_cast<char>(type);
    }
    std::string record{static_cast<char>(is_tls13_ ? kData : type), 3, 3};
    std::string head = record + length(plain.size() + (is_tls13_ ? kTagBytes : 0));
    const std::string nonce = is_explicit ? iv_ : mixed();
    const std::string known = is_tls13_ ? head : number_ + head;
    std::string secret = encrypt(nonce, known, plain);
    if (is_explicit) {
      secret.insert(0, iv_.substr(salt_bytes_));
    }
    count(number_);
    if (is_explicit) {
      count(iv_);
    }
    return record + length(secret.size()) + secret;
  }

  [[nodiscard]] std::uint64_t number() const {
    std::uint64_t value = 0;
    for (const char byte : number_) {
      value = value << 8U | static_cast<std::uint8_t>(byte);
    }
    return value;
  }

 private:
  static constexpr std::size_t kTagBytes = 16;

  template <class T>
  const T& as() const {
    return *reinterpret_cast<const T*>(room_.data());
  }
  template <std::size_t kBytes>
  static std::string text(const unsigned char (&bytes)[kBytes]) {
    return {reinterpret_cast<const char*>(bytes), kBytes};
  }
  static std::string length(std::size_t bytes) {
    return {static_cast<char>(bytes >> 8U), static_cast<char>(bytes)};
  }
  template <class Aes>
  void take_aes(const Aes& keys, const EVP_CIPHER* cipher) {
    cipher_ = cipher;
    key_ = text(keys.key);
    iv_ = text(keys.salt) + text(keys.iv);
    salt_bytes_ = sizeof(keys.salt);
    number_ = text(keys.rec_seq);
  }
  static void count(std::string& number) {
    for (std::size_t at = number.size(); at-- > 0 && ++number[at] == 0;) {
    }
  }
  [[nodiscard]] std::string mixed() const {
    std::string nonce = iv_;
    for (std::size_t at = 0; at < number_.size(); ++at) {
      nonce[nonce.size() - number_.size() + at] ^= number_[at];
    }
    return nonce;
  }
  [[nodiscard]] std::string encrypt(const std::string& nonce, const std::string& known,
                                    const std::string& plain) const {
    const auto bytes = [](auto& from) {
      return reinterpret_cast<unsigned char*>(const_cast<char*>(from.data()));
    };
    const std::unique_ptr<EVP_CIPHER_CTX, Freer<&EVP_CIPHER_CTX_free>> context(
        EVP_CIPHER_CTX_new());
    std::string secret(plain.size() + kTagBytes, '\0');
    int count = 0;
    EVP_EncryptInit_ex(context.get(), cipher_, nullptr, bytes(key_), bytes(nonce));
    EVP_EncryptUpdate(context.get(), nullptr, &count, bytes(known), static_cast<int>(known.size()));
    EVP_EncryptUpdate(context.get(), bytes(secret), &count, bytes(plain),
                      static_cast<int>(plain.size()));
    EVP_EncryptFinal_ex(context.get(), bytes(secret), &count);
    EVP_CIPHER_CTX_ctrl(context.get(), EVP_CTRL_AEAD_GET_TAG, kTagBytes,
                        bytes(secret) + plain.size());
    return secret;
  }

  alignas(8) std::array<char, 64> room_{};
  const EVP_CIPHER* cipher_ = nullptr;
  std::string key_;
  std::string iv_;  // of TLS 1.2's AES with the part that is sent
  std::string number_;
  std::size_t salt_bytes_ = 0;
  bool is_tls13_ = true;
};

struct Suite {
  int version;
  const char* name;
};

class SealToKernel : public testing::TestWithParam<Suite> {
 protected:
  void SetUp() override { connect(KernelTlsUse::files); }

  void connect(KernelTlsUse use) {
    TlsOptions options;
    options.certificate = files.write("a", make_test_certificate({.names = "DNS:a.example"}));
    options.kernel_tls = use;
    maker = ServerTls::make(options, nullptr, {}, &kernel).value();
    SSL_CTX_set_min_proto_version(client.context.get(), GetParam().version);
    SSL_CTX_set_max_proto_version(client.context.get(), GetParam().version);
    SSL_CTX_set_cipher_list(client.context.get(), GetParam().name);
    SSL_CTX_set_ciphersuites(client.context.get(), GetParam().name);
    SSL_set_connect_state(client.open());
    server = maker->make();
    ASSERT_TRUE(client.shake_hands(*server));
  }

  /// What has to be sent is sent, and what has come is read.
  void pump() {
    client.pump(*server, wire);
    std::array<char, 20'000> room{};
    for (int bytes = 0; (bytes = SSL_read(client.ssl.get(), room.data(), room.size())) > 0;) {
      heard.append(room.data(), static_cast<std::size_t>(bytes));
    }
    ERR_clear_error();
  }

  void hand_over() {
    const KernelOffer offer = server->offer();
    ASSERT_EQ(offer.kernel, &kernel);
    kernel.take(offer.keys);
    server->hand_over();
    EXPECT_EQ(server->kernel_use(), KernelTlsUse::never);
    EXPECT_EQ(server->offer().kernel, nullptr);
  }

  /// The kernel sends it.
  void send(std::uint8_t type, std::string plain) {
    wire.append(kernel.seal(type, std::move(plain)));
    pump();
  }

  PaperKernel kernel;
  TestFiles files;
  TestRawClient client;
  std::shared_ptr<ServerTls> maker;
  std::unique_ptr<Seal> server;
  Buffer wire;
  std::string heard;  // by the client
};

TEST_P(SealToKernel, at_once_and_the_client_reads_on) {
  hand_over();
  send(kData, "hello");
  send(kData, std::string(16384, 'x'));
  EXPECT_EQ(heard, "hello" + std::string(16384, 'x'));
}

TEST_P(SealToKernel, after_any_number_of_records) {
  for (int round = 0; round < 300; ++round) {
    ASSERT_TRUE(server->write("ab", wire));
  }
  ASSERT_TRUE(server->write(std::string(50'000, 'c'), wire));
  pump();
  hand_over();
  EXPECT_GE(kernel.number(), 304U);
  heard.clear();
  send(kData, "hello");
  EXPECT_EQ(heard, "hello");
}

TEST_P(SealToKernel, and_goes_on_reading) {
  hand_over();
  for (const std::string_view word : {"question", "another"}) {
    SSL_write(client.ssl.get(), word.data(), static_cast<int>(word.size()));
    EXPECT_EQ(server->feed(client.take(), wire), SealState::open);
    std::array<char, 100> room{};
    EXPECT_EQ(server->read(room, wire), word.size());
    EXPECT_TRUE(wire.empty());
  }
}

TEST_P(SealToKernel, and_ends_with_an_alert_in_the_clear) {
  hand_over();
  server->end(wire);
  ASSERT_EQ(wire.view(), std::string("\1\0", 2));
  wire.clear();
  send(kAlert, std::string("\1\0", 2));
  EXPECT_NE(SSL_get_shutdown(client.ssl.get()) & SSL_RECEIVED_SHUTDOWN, 0);
  server->end(wire);
  EXPECT_TRUE(wire.empty()) << "once";
}

TEST_P(SealToKernel, and_answers_a_damaged_record_with_an_alert_in_the_clear) {
  hand_over();
  const std::string damaged = std::string("\x17\3\3\0\x20", 5) + std::string(32, 'x');
  static_cast<void>(server->feed(damaged, wire));
  std::array<char, 100> room{};
  EXPECT_EQ(server->read(room, wire), 0U);
  EXPECT_EQ(server->state(), SealState::failed);
  EXPECT_EQ(wire.view(), "\2\x14") << "bad_record_mac";
}

TEST_P(SealToKernel, never_where_it_must_not) {
  connect(KernelTlsUse::never);
  EXPECT_EQ(server->kernel_use(), KernelTlsUse::never);
  EXPECT_EQ(server->offer().kernel, nullptr);
}

TEST_P(SealToKernel, or_goes_on_by_itself_when_the_kernel_refuses) {
  EXPECT_EQ(server->offer().kernel, &kernel);
  server->keep_sending();
  EXPECT_EQ(server->kernel_use(), KernelTlsUse::never);
  ASSERT_TRUE(server->write("hello", wire));
  pump();
  EXPECT_EQ(heard, "hello");
}

INSTANTIATE_TEST_SUITE_P(Suites, SealToKernel,
                         testing::Values(Suite{TLS1_3_VERSION, "TLS_AES_128_GCM_SHA256"},
                                         Suite{TLS1_3_VERSION, "TLS_AES_256_GCM_SHA384"},
                                         Suite{TLS1_3_VERSION, "TLS_CHACHA20_POLY1305_SHA256"},
                                         Suite{TLS1_2_VERSION, "ECDHE-ECDSA-AES128-GCM-SHA256"},
                                         Suite{TLS1_2_VERSION, "ECDHE-ECDSA-AES256-GCM-SHA384"},
                                         Suite{TLS1_2_VERSION, "ECDHE-ECDSA-CHACHA20-POLY1305"}));

class SealToKernel13 : public SealToKernel {};
INSTANTIATE_TEST_SUITE_P(Tls13, SealToKernel13,
                         testing::Values(Suite{TLS1_3_VERSION, "TLS_AES_128_GCM_SHA256"}));

TEST_P(SealToKernel13, follows_new_keys_of_the_client) {
  hand_over();
  SSL_key_update(client.ssl.get(), SSL_KEY_UPDATE_NOT_REQUESTED);
  SSL_write(client.ssl.get(), "question", 8);
  pump();
  EXPECT_EQ(server->state(), SealState::open) << server->failure();
  send(kData, "answer");
  EXPECT_EQ(heard, "answer");
}

TEST_P(SealToKernel13, refuses_a_client_that_wants_new_keys_of_the_kernel) {
  hand_over();
  SSL_key_update(client.ssl.get(), SSL_KEY_UPDATE_REQUESTED);
  SSL_write(client.ssl.get(), "question", 8);
  pump();
  EXPECT_EQ(server->state(), SealState::failed);
  EXPECT_EQ(dynamic_cast<TlsSeal&>(*server).reason(), TlsFailure::keys_in_kernel);
}

TEST_P(SealToKernel13, does_not_offer_keys_that_have_been_changed) {
  SSL_key_update(client.ssl.get(), SSL_KEY_UPDATE_REQUESTED);
  SSL_write(client.ssl.get(), "question", 8);
  pump();
  EXPECT_EQ(server->offer().kernel, nullptr);
  ASSERT_TRUE(server->write("answer", wire));
  pump();
  EXPECT_EQ(heard, "answer");
  EXPECT_EQ(server->offer().kernel, nullptr);
}

TEST_P(SealToKernel13, after_early_data_was_answered) {
  TlsOptions options;
  options.certificate = files.write("b", make_test_certificate({.names = "DNS:a.example"}));
  maker = ServerTls::make(options, nullptr, {}, &kernel, TlsEarlyData::taken).value();
  TestEarlyClient again;
  const SessionPtr session = again.get_session(maker->make());
  TestEarlyServer early(maker->make());
  ASSERT_EQ(early.feed(again.first_flight(session.get(), "question")), SealState::early);
  ASSERT_TRUE(early.seal->write("answer", early.wire));
  ASSERT_EQ(early.feed(again.answer(early.take())), SealState::open);
  again.give(early.take());
  const KernelOffer offer = early.seal->offer();
  ASSERT_EQ(offer.kernel, &kernel);
  kernel.take(offer.keys);
  early.seal->hand_over();
  again.give(kernel.seal(kData, " and more"));
  EXPECT_EQ(again.read_all(), "answer and more");
}

std::string record(std::size_t bytes) {
  return std::string{23, 3, 3, static_cast<char>(bytes >> 8U), static_cast<char>(bytes)} +
         std::string(bytes, 'x');
}

TEST(RecordCounter, counts_records_cut_anywhere) {
  const std::string sent = record(1) + record(300) + record(0) + record(17);
  for (std::size_t cut = 1; cut <= sent.size(); ++cut) {
    RecordCounter counter;
    for (std::size_t at = 0; at < sent.size(); at += cut) {
      counter.add(std::string_view(sent).substr(at, cut));
    }
    EXPECT_EQ(counter.records(), 4U) << cut;
    EXPECT_TRUE(counter.is_between()) << cut;
  }
}

TEST(RecordCounter, knows_when_a_record_is_not_whole) {
  const std::string sent = record(2);
  RecordCounter counter;
  EXPECT_TRUE(counter.is_between());
  for (std::size_t at = 0; at + 1 < sent.size(); ++at) {
    counter.add(std::string_view(sent).substr(at, 1));
    EXPECT_FALSE(counter.is_between()) << at;
    EXPECT_EQ(counter.records(), 0U);
  }
}

TEST(KernelShare, keeps_nothing_of_other_ciphers) {
  PaperKernel kernel;
  KernelShare share(kernel, KernelTlsUse::files);
  EXPECT_TRUE(share.next_keys().empty());
  tls12_crypto_info_aes_ccm_128 ccm{};
  ccm.info = {.version = TLS_1_3_VERSION, .cipher_type = TLS_CIPHER_AES_CCM_128};
  share.note_keys(ccm.info);
  EXPECT_TRUE(share.next_keys().empty());
}

TEST(KernelShare, carries_over_when_it_counts_and_never_meets_old_nonces) {
  PaperKernel kernel;
  KernelShare share(kernel, KernelTlsUse::files);
  tls12_crypto_info_aes_gcm_128 keys{};
  keys.info = {.version = TLS_1_2_VERSION, .cipher_type = TLS_CIPHER_AES_GCM_128};
  keys.rec_seq[6] = 1;
  keys.rec_seq[7] = 0xff;
  share.note_keys(keys.info);
  share.note_sent(record(5));
  kernel.take(share.next_keys());
  EXPECT_EQ(kernel.number(), 0x200U);
  tls12_crypto_info_aes_gcm_128 next{};
  std::memcpy(&next, share.next_keys().data(), sizeof(next));
  EXPECT_EQ(next.iv[0], 0x80);
}

}  // namespace
}  // namespace eider::detail
