// A kernel that encrypts what a socket sends (Linux's TLS, in software or by the network card).
// Must not agree on keys, nor count records before it has them: a seal does.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace eider {

/// What of a connection its kernel encrypts; each one includes those before it.
enum class KernelTlsUse : std::uint8_t {
  never,
  files,   ///< from the first file on that is sent from the disk; until then nothing changes
  always,  ///< from the end of the handshake on: for network cards that encrypt
};

/// Shared by all threads. Tests bring one that encrypts nothing.
class KernelTls {
 public:
  virtual ~KernelTls() = default;

  /// From its success on the kernel encrypts all that is sent over `socket`, in records of its own.
  ///
  /// keys     `struct tls12_crypto_info_…` of linux/tls.h: version, cipher, key, and the number of
  ///          the next record
  /// returns  false when it cannot, for this socket or cipher: the socket sends bytes as they are
  [[nodiscard]] virtual bool take_over(int socket, std::string_view keys) noexcept = 0;
  /// Sends one alert (two bytes) as a record of its own, if the socket takes it now.
  virtual void send_alert(int socket, std::string_view alert) noexcept = 0;
};

/// The machine's kernel, asked once; null when it has no TLS. Loads its module where the process
/// may (CAP_NET_ADMIN, CAP_SYS_MODULE).
[[nodiscard]] KernelTls* kernel_tls() noexcept;

/// A socket with less room may keep a record back, whose end is lost when the socket is closed:
/// the kernel takes bytes before they are encrypted, and sends what was refused later.
[[nodiscard]] bool has_room(int socket) noexcept;

}  // namespace eider
