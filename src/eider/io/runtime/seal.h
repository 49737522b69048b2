// The layer between a stream and its socket: ciphertext in, plaintext out, and back.
// Layering: must not know sockets: the stream moves the bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "eider/core/base/buffer.h"
#include "eider/core/base/tls_info.h"

namespace eider {

/// Memory that the seals of one thread share, each only for the duration of a call, so that a
/// waiting seal has no memory.
class SpareBuffer {
 public:
  /// More memory than this is returned to the heap.
  static constexpr std::size_t kKeptBytesMax = 128UL * 1024;

  /// Lends the memory to a buffer without memory.
  void lend(Buffer& to) noexcept {
    if (to.capacity() == 0) {
      to.swap(memory_);
    }
  }
  /// Takes the memory of the buffer back; its bytes are lost.
  void take_back(Buffer& from) noexcept {
    from.clear();
    if (memory_.capacity() < from.capacity() && from.capacity() <= kKeptBytesMax) {
      from.swap(memory_);
    }
    from.release();
  }

 private:
  Buffer memory_;  // always empty
};

enum class SealState : std::uint8_t {
  handshaking,
  open,
  failed,
};

/// The encryption of a connection, on the thread of its event loop. Bytes to send are appended to
/// `wire`, in the order of the calls.
class Seal {
 public:
  virtual ~Seal() = default;

  /// Starts the handshake, for a client. A server waits for its client.
  virtual void start(Buffer& wire) = 0;
  /// Processes received ciphertext, cut anywhere; keeps incomplete parts. Call `read` afterwards.
  [[nodiscard]] virtual SealState feed(std::string_view ciphertext, Buffer& wire) = 0;
  /// Returns received plaintext. May detect that the connection has failed, or that the peer has
  /// ended it.
  ///
  /// into     at least one byte
  /// returns  number of bytes written into it; 0 if no bytes are available now
  [[nodiscard]] virtual std::size_t read(std::span<char> into, Buffer& wire) = 0;
  /// Encrypts all of the plaintext. Pre: state() is open.
  ///
  /// returns  false if it failed: the connection is unusable
  [[nodiscard]] virtual bool write(std::string_view plaintext, Buffer& wire) = 0;
  /// Announces the end of our data (close_notify).
  virtual void end(Buffer& wire) = 0;

  [[nodiscard]] virtual SealState state() const noexcept = 0;
  /// Returns whether the peer has announced the end of its data; without that, the end of the
  /// connection is a truncation.
  [[nodiscard]] virtual bool has_ended() const noexcept = 0;
  /// Returns the reason of a failure as a sentence for a log; empty if it has not failed.
  [[nodiscard]] virtual std::string_view failure() const noexcept = 0;
  /// Pre: state() is open.
  [[nodiscard]] virtual TlsInfo tls() const = 0;
};

/// Makes the seals of accepted connections; called on any thread.
class SealMaker {
 public:
  virtual ~SealMaker() = default;
  [[nodiscard]] virtual std::unique_ptr<Seal> make() = 0;
  /// Returns whether a connection that starts with these bytes, at least one, may be encrypted. If
  /// not, a client that uses plain text by mistake gets a readable response instead of an alert.
  [[nodiscard]] virtual bool may_begin(std::string_view /*first*/) const noexcept { return true; }
};

}  // namespace eider
