// What a kernel has to know to encrypt in OpenSSL's place: keys, and the number of the next record.
// Must not change anything: OpenSSL goes on as before until the kernel has taken over.
#pragma once

#include <linux/tls.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "eider/runtime/kernel_tls.h"

namespace eider::detail {

/// Counts whole records in what OpenSSL sends, cut anywhere (RFC 8446, section 5.1).
class RecordCounter {
 public:
  void add(std::string_view sent) noexcept;
  [[nodiscard]] std::uint64_t records() const noexcept { return records_; }
  /// The next byte begins a record.
  [[nodiscard]] bool is_between() const noexcept { return head_bytes_ == 0 && left_ == 0; }

 private:
  static constexpr std::size_t kHeadBytes = 5;

  std::uint64_t records_ = 0;
  std::size_t left_ = 0;  // bytes of the record behind its head
  std::size_t head_bytes_ = 0;
  std::array<std::uint8_t, kHeadBytes> head_{};
};

/// One connection's. Wiped at its end.
class KernelShare {
 public:
  KernelShare(KernelTls& kernel, KernelTlsUse use) noexcept : kernel_(kernel), use_(use) {}
  ~KernelShare();
  KernelShare(const KernelShare&) = delete;
  KernelShare& operator=(const KernelShare&) = delete;

  [[nodiscard]] KernelTls& kernel() const noexcept { return kernel_; }
  [[nodiscard]] KernelTlsUse use() const noexcept { return use_; }

  /// OpenSSL sends with new keys from here on, the last time in a handshake with those for data.
  ///
  /// info  one of the kernel's `struct tls12_crypto_info_…`, as its first member says. Of other
  ///       ciphers than AES-GCM and ChaCha20-Poly1305 nothing is kept
  void note_keys(const tls_crypto_info& info) noexcept;
  /// OpenSSL has sent these bytes.
  void note_sent(std::string_view bytes) noexcept {
    if (bytes_ != 0) {
      counter_.add(bytes);
    }
  }
  /// For the record behind all that was noted; empty when there are none.
  [[nodiscard]] std::string_view next_keys() noexcept;

 private:
  union Keys {
    tls_crypto_info info;
    tls12_crypto_info_aes_gcm_128 aes_128;
    tls12_crypto_info_aes_gcm_256 aes_256;
    tls12_crypto_info_chacha20_poly1305 chacha;
  };

  template <class Aes>
  void advance_aes(Aes& keys) noexcept;

  KernelTls& kernel_;
  KernelTlsUse use_;
  std::size_t bytes_ = 0;  // of keys_; 0 is none
  RecordCounter counter_;
  Keys keys_{};
  Keys next_{};
};

}  // namespace eider::detail
