// A connected socket on one event loop: reports input to its owner, and sends corked output.
// Layering: must not know any protocol, and never owns a read buffer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "eider/core/base/buffer.h"
#include "eider/io/runtime/address.h"
#include "eider/io/runtime/descriptor.h"
#include "eider/io/runtime/loop.h"
#include "eider/io/runtime/net_error.h"
#include "eider/io/runtime/seal.h"

namespace eider {

namespace detail::runtime {
class OutputBudget;
}  // namespace detail::runtime

/// The callbacks of a `Stream`, on its loop's thread, never from within a call of the owner. Each
/// may close or destroy the stream, and any other.
class StreamOwner {
 public:
  /// Bytes arrived, at least one; they are valid until the call returns.
  virtual void on_bytes(std::string_view bytes) = 0;
  /// The peer sends no more data (FIN). Writing still works.
  virtual void on_end() = 0;
  /// All output that the socket had refused was sent; reading goes on unless it was paused.
  virtual void on_drained() = 0;
  /// The TLS handshake is complete; no bytes are reported before. Only for streams that were opened
  /// with a Seal.
  virtual void on_secured() {}
  /// The connection is broken and the stream closed; this is the last call.
  virtual void on_broken(NetError error) = 0;
  /// The same, because the TLS handshake failed or data was tampered with.
  ///
  /// why  the seal's reason, in a sentence; valid until the call returns
  virtual void on_insecure(std::string_view /*why*/) { on_broken(NetError::insecure); }
  /// Returns the budget in which the memory of waiting output counts, or null. It must outlive the
  /// stream. If the budget disconnects the stream, `on_broken` is called later in the turn.
  [[nodiscard]] virtual detail::runtime::OutputBudget* output_budget() noexcept { return nullptr; }

 protected:
  ~StreamOwner() = default;
};

class Stream {
 public:
  Stream(Loop& loop, StreamOwner& owner) noexcept : loop_(loop), owner_(owner) {}
  /// Closes immediately.
  ~Stream() { close(); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  /// Takes over the socket and starts reading. It sets no options: accepted and connected sockets
  /// already have TCP_NODELAY. Pre: not open; `fd` is non-blocking and connected.
  void open(Descriptor fd);
  /// Starts encryption: the owner sees only plaintext from now on. Output during the handshake is
  /// sent after it. If the peer ends without announcing it, the connection counts as broken,
  /// because data may be missing. Pre: is_open(), and no output is corked or waits.
  ///
  /// received  bytes that have arrived already and belong to the handshake
  void secure(std::unique_ptr<Seal> seal, std::string_view received = {});

  /// Returns the cork. Appended bytes are sent together when the current callback returns, or at
  /// the end of the turn if there is no callback. Do not keep the reference beyond that, nor across
  /// a call of another stream's `output`. Pre: is_open().
  [[nodiscard]] Buffer& output() {
    if (loop_.cork_owner_ != this) {
      loop_.lend_cork(*this);
    }
    return *loop_.cork_;
  }

  /// Sends a large body after the corked bytes, without copying it. Pre: is_open().
  void send_owned(std::string bytes);
  /// Sends bytes that `owner` keeps alive.
  ///
  /// memory_bytes  the memory of the owner, if only queues keep it; 0: it exists anyway
  void send_shared(std::shared_ptr<const void> owner, std::string_view bytes,
                   std::size_t memory_bytes = 0);

  /// Sends bytes of a file after the corked bytes; the kernel copies them from its cache to the
  /// socket. If the file is shorter, the connection is broken. Pre: is_open().
  ///
  /// file  stays open until all was sent or the stream is closed
  void send_file(std::shared_ptr<const Descriptor> file, std::uint64_t offset, std::uint64_t bytes);

  /// Sends the corked bytes now instead of at the end of the callback.
  ///
  /// returns  true if nothing waits: the socket has accepted everything (so `if (flush()) close();`
  ///          loses nothing). False if the socket refused some bytes, which are kept; then reading
  ///          stops until `on_drained`, except after `read_while_waiting`.
  bool flush();

  /// Returns the number of bytes that the socket has refused so far.
  [[nodiscard]] std::size_t waiting_bytes() const noexcept;
  /// Returns the output that the peer has not read: the waiting bytes, and those in the kernel. The
  /// kernel reports that a socket accepts more only after a third of its buffer was sent, which may
  /// be a megabyte. Without its part, a slow but steady reader would seem to read nothing for
  /// minutes.
  ///
  /// cost    a system call
  /// source  tcp(7), SIOCOUTQ; unix(7)
  [[nodiscard]] std::size_t unread_bytes() const noexcept;

  /// Lets reading continue while output waits, and after the peer has reset the connection: input
  /// from before is reported before `on_broken`, unless reading is paused. Needed by clients: if
  /// both sides stopped reading, each would wait for the other, and a server that rejects a body
  /// may respond and disconnect. The input must not produce unlimited output. Pre: is_open().
  void read_while_waiting() noexcept { flags_ |= kReadsOn; }

  /// Stops `on_bytes` and `on_end` until `resume_reading`. Costs nothing unless bytes arrive.
  void pause_reading() noexcept;
  void resume_reading();

  /// Sends FIN after all output was sent; reading goes on. Pre: is_open().
  void end();

  /// Closes immediately and drops corked and waiting output. The owner is not called again. If the
  /// peer has sent bytes that were not read, the kernel resets the connection.
  void close() noexcept;

  /// Closes immediately and resets the connection: the peer gets an RST, and unsent data in the
  /// kernel is freed at once, instead of waiting for a peer that does not read. (Unix sockets have
  /// no RST and are only closed.)
  void reset() noexcept;

  [[nodiscard]] bool is_open() const noexcept { return fd_ >= 0; }
  [[nodiscard]] Loop& loop() const noexcept { return loop_; }
  /// Returns null if the stream is not encrypted. Pre: is_open().
  [[nodiscard]] const Seal* seal() const noexcept;
  /// Returns the peer's address from the kernel. Pre: is_open().
  [[nodiscard]] Result<SocketAddress, NetError> peer() const { return SocketAddress::of_peer(fd_); }

 private:
  friend class StreamAccess;
  struct Rest;
  struct Chunk;
  class Sealing;

  static constexpr std::uint8_t kPaused = 1;     // by the owner
  static constexpr std::uint8_t kPeerEnded = 2;  // on_end was called or is held back
  static constexpr std::uint8_t kEnding = 4;     // FIN is to be sent
  static constexpr std::uint8_t kBroken = 8;     // no more output; on_broken follows
  static constexpr std::uint8_t kWaiting = 16;   // the socket refused output
  static constexpr std::uint8_t kHasHeld = 32;   // input arrived while paused
  static constexpr std::uint8_t kSealed = 64;    // there is a Sealing
  static constexpr std::uint8_t kReadsOn = 128;  // reads even if output waits or fails

  [[nodiscard]] bool is(std::uint8_t flag) const noexcept { return (flags_ & flag) != 0; }
  static constexpr std::uint8_t kUnwilling = kPaused | kPeerEnded | kBroken | kWaiting | kHasHeld;
  static constexpr std::uint8_t kUnwillingToRead = kUnwilling & ~(kWaiting | kBroken);
  [[nodiscard]] bool wants_bytes() const noexcept {
    return (flags_ & kUnwilling) == 0 || (is(kReadsOn) && (flags_ & kUnwillingToRead) == 0);
  }
  /// Broken, and no input is reported before on_broken.
  [[nodiscard]] bool is_lost() const noexcept {
    return is(kBroken) && (flags_ & (kReadsOn | kPaused)) != kReadsOn;
  }
  [[nodiscard]] bool is_held_up() const noexcept {
    return is(kPaused) || (flags_ & (kWaiting | kReadsOn)) == kWaiting;
  }

  void tell_bytes(std::string_view bytes);
  void tell_end();
  void tell_broken(NetError error);
  void tell_writable();
  void tell_held();

  Rest& rest();
  void keep_corked(Buffer& corked, std::size_t sent);
  void send_chunk(Chunk chunk);
  void keep_file(std::shared_ptr<const Descriptor> file, FileSlice left);
  [[nodiscard]] bool drain_file();
  [[nodiscard]] bool drain_bytes();
  void begin_waiting();
  bool drain();
  void finish_ending();
  void go_on_reading();
  void break_later(NetError error);

  Loop& loop_;
  StreamOwner& owner_;
  Rest* rest_ = nullptr;  // parts that only few streams need, created on demand
  int fd_ = -1;
  std::uint32_t slot_ = 0;  // used by the backend
  std::uint8_t flags_ = 0;
  std::uint8_t interest_ = 0;  // used by the backend
  std::uint32_t told_at_ = 0;  // when it was opened, or last reported bytes: Loop::turn_ms_
};

}  // namespace eider
