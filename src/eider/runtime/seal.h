// What stands between a stream's owner and its socket: ciphertext in, plaintext out, and back.
// Must not know sockets: the stream moves the bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "eider/base/buffer.h"
#include "eider/base/secured_by.h"
#include "eider/runtime/kernel_tls.h"

namespace eider {

enum class SealState : std::uint8_t {
  handshaking,
  early,  ///< a server's: bytes may pass both ways, but what was read may have been sent before
  open,
  failed,
};

/// What a kernel needs to encrypt in a seal's place.
struct KernelOffer {
  KernelTls* kernel = nullptr;  ///< null: there is nothing to hand over
  std::string_view keys;  ///< for `KernelTls::take_over`; valid until the seal is called again
};

/// One connection's encryption, on its loop's thread. What has to be sent is appended to `wire`,
/// in the order of the calls.
class Seal {
 public:
  virtual ~Seal() = default;

  /// For a client: begins the handshake. A server waits for its client.
  virtual void start(Buffer& wire) = 0;
  /// Ciphertext has arrived, cut anywhere; keeps what it cannot use yet. Ask `read` afterwards.
  [[nodiscard]] virtual SealState feed(std::string_view ciphertext, Buffer& wire) = 0;
  /// Plaintext that has arrived. May find that the connection has failed, or that the peer ends.
  ///
  /// into     at least one byte
  /// returns  how many bytes were written into it; 0 when there is none now. What is read while
  ///          state() is early is early data, and so is what the call that ends it has returned:
  ///          0 stands between that and what follows
  [[nodiscard]] virtual std::size_t read(std::span<char> into, Buffer& wire) = 0;
  /// Encrypts all of it. Pre: state() is open or early.
  ///
  /// returns  false when that failed: the connection is of no use any more
  [[nodiscard]] virtual bool write(std::string_view plaintext, Buffer& wire) = 0;
  /// Says that no more is sent (close_notify). Pre: state() is not early.
  virtual void end(Buffer& wire) = 0;

  /// What of the output its kernel may encrypt. Asked before each.
  [[nodiscard]] virtual KernelTlsUse kernel_use() const noexcept { return KernelTlsUse::never; }
  /// The keys to go on with where this seal has stopped. Pre: state() is open, and the socket has
  /// taken all that was appended to `wire`.
  [[nodiscard]] virtual KernelOffer offer() noexcept { return {}; }
  /// The kernel has taken the offer: `write` is not called any more, and what is appended to `wire`
  /// are alerts in the clear, two bytes each. Input goes on as before.
  virtual void hand_over() noexcept {}
  /// It has not, and never will.
  virtual void keep_sending() noexcept {}

  [[nodiscard]] virtual SealState state() const noexcept = 0;
  /// The peer has said that it sends no more; without that word an end is a truncation.
  [[nodiscard]] virtual bool has_ended() const noexcept = 0;
  /// Why it failed, in a sentence for a log; empty when it has not.
  [[nodiscard]] virtual std::string_view failure() const noexcept = 0;
  /// Pre: state() is open or early.
  [[nodiscard]] virtual SecuredBy secured_by() const = 0;
};

/// Makes the seals of accepted connections; called on any thread.
class SealMaker {
 public:
  virtual ~SealMaker() = default;
  [[nodiscard]] virtual std::unique_ptr<Seal> make() = 0;
  /// Whether a connection that begins with these bytes, at least one, may want a seal. Who speaks
  /// in the clear where it must not is then told so, instead of being sent an alert.
  [[nodiscard]] virtual bool may_begin(std::string_view /*first*/) const noexcept { return true; }
};

}  // namespace eider
