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

/// Told by a `Stream`, on its loop's thread, never from within a call that the owner made.
/// Each of these may close or destroy the stream, and any other.
class StreamOwner {
 public:
  /// Bytes arrived, at least one; they are valid until the call returns.
  virtual void on_bytes(std::string_view bytes) = 0;
  /// The peer sends no more (FIN). Writing still works.
  virtual void on_end() = 0;
  /// All that the socket had refused has left; reading goes on unless it was paused.
  virtual void on_drained() = 0;
  /// The encryption under the stream is agreed on; no bytes come ahead of it. Only for streams that
  /// were opened with a Seal.
  virtual void on_secured() {}
  /// The connection is gone and the stream closed; nothing further is told.
  virtual void on_broken(NetError error) = 0;
  /// The same, because the encryption could not be agreed on or was tampered with.
  ///
  /// why  the seal's reason, in a sentence; valid until the call returns
  virtual void on_insecure(std::string_view /*why*/) { on_broken(NetError::insecure); }
  /// Where the memory of output that waits is counted; null: nowhere. It outlives the stream. A
  /// stream that the budget cuts off is broken (`on_broken`) later in the turn.
  [[nodiscard]] virtual detail::runtime::OutputBudget* output_budget() noexcept { return nullptr; }

 protected:
  ~StreamOwner() = default;
};

class Stream {
 public:
  Stream(Loop& loop, StreamOwner& owner) noexcept : loop_(loop), owner_(owner) {}
  /// Closes at once.
  ~Stream() { close(); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  /// Takes the socket over and begins reading. It sets nothing: accepted and connected sockets
  /// come with TCP_NODELAY already. Pre: not open; `fd` is non-blocking and connected.
  void open(Descriptor fd);
  /// From here on there is encryption in between: the owner sees plaintext only. What it writes
  /// during the handshake leaves behind it. An end that the peer did not announce is a broken
  /// connection, since it may cut what was sent. Pre: is_open(), and nothing is corked or waits.
  ///
  /// received  what has come already and belongs to the handshake
  void secure(std::unique_ptr<Seal> seal, std::string_view received = {});

  /// The cork: what is appended leaves in one send when the current callback returns, or at the end
  /// of the turn when written outside of one. Do not keep the reference beyond that, nor across a
  /// call to another stream's `output`. Pre: is_open().
  [[nodiscard]] Buffer& output() {
    if (loop_.cork_owner_ != this) {
      loop_.lend_cork(*this);
    }
    return *loop_.cork_;
  }

  /// Sends a large body behind what is corked, without copying it. Pre: is_open().
  void send_owned(std::string bytes);
  /// The same of bytes that `owner` keeps for it.
  ///
  /// memory_bytes  what the owner takes, where queues alone keep it; 0: it is kept anyway
  void send_shared(std::shared_ptr<const void> owner, std::string_view bytes,
                   std::size_t memory_bytes = 0);

  /// Sends bytes of a file behind what is corked; the kernel copies them from its cache to the
  /// socket. When the file turns out to be shorter the connection is broken. Pre: is_open().
  ///
  /// file  stays open until all has left or the stream is closed
  void send_file(std::shared_ptr<const Descriptor> file, std::uint64_t offset, std::uint64_t bytes);

  /// Sends what is corked now instead of at the end of the callback.
  ///
  /// returns  true when nothing waits: all has been given to the socket (so that
  ///          `if (flush()) close();` loses nothing). False when the socket refused some, which is
  ///          kept; then reading stops until `on_drained`, save behind `read_while_waiting`.
  bool flush();

  /// What the socket has refused so far.
  [[nodiscard]] std::size_t waiting_bytes() const noexcept;

  /// Output that waits no longer stops reading, nor does a reset that it meets, unless reading is
  /// paused: what had come by then is told ahead of `on_broken`. For the side that asks: where both
  /// stopped, each would wait for the other to read, and a server that refuses content may answer
  /// and be gone. What is read must not make output without bound. Pre: is_open().
  void read_while_waiting() noexcept { flags_ |= kReadsOn; }

  /// No `on_bytes` and no `on_end` until `resume_reading`. Costs nothing unless bytes arrive.
  void pause_reading() noexcept;
  void resume_reading();

  /// Sends FIN after all output has left; reading goes on. Pre: is_open().
  void end();

  /// Closes at once, dropping what is corked or waiting. The owner is not called again. When the
  /// peer has sent bytes that were never read, the kernel resets the connection.
  void close() noexcept;

  /// The same by force: the peer is sent RST, and what the kernel had taken for it but could not
  /// send is freed at once, instead of waiting for a peer that does not read. (Unix sockets know no
  /// RST and are just closed.)
  void reset() noexcept;

  [[nodiscard]] bool is_open() const noexcept { return fd_ >= 0; }
  [[nodiscard]] Loop& loop() const noexcept { return loop_; }
  /// Null when nothing is encrypted. Pre: is_open().
  [[nodiscard]] const Seal* seal() const noexcept;
  /// The other end's address, asked from the kernel. Pre: is_open().
  [[nodiscard]] Result<SocketAddress, NetError> peer() const { return SocketAddress::of_peer(fd_); }

 private:
  friend class StreamAccess;
  struct Rest;
  struct Chunk;
  class Sealing;

  static constexpr std::uint8_t kPaused = 1;     // by the owner
  static constexpr std::uint8_t kPeerEnded = 2;  // on_end is told or held back
  static constexpr std::uint8_t kEnding = 4;     // FIN is wanted
  static constexpr std::uint8_t kBroken = 8;     // no more is sent, and on_broken will be told
  static constexpr std::uint8_t kWaiting = 16;   // output was refused
  static constexpr std::uint8_t kHasHeld = 32;   // input arrived while paused
  static constexpr std::uint8_t kSealed = 64;    // there is a Sealing
  static constexpr std::uint8_t kReadsOn = 128;  // whatever becomes of output

  [[nodiscard]] bool is(std::uint8_t flag) const noexcept { return (flags_ & flag) != 0; }
  static constexpr std::uint8_t kUnwilling = kPaused | kPeerEnded | kBroken | kWaiting | kHasHeld;
  static constexpr std::uint8_t kUnwillingToRead = kUnwilling & ~(kWaiting | kBroken);
  [[nodiscard]] bool wants_bytes() const noexcept {
    return (flags_ & kUnwilling) == 0 || (is(kReadsOn) && (flags_ & kUnwillingToRead) == 0);
  }
  /// Broken, and nothing is told ahead of that: nobody reads what may have come.
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
  Rest* rest_ = nullptr;  // what only few streams need, made when first needed
  int fd_ = -1;
  std::uint32_t slot_ = 0;  // the backend's own
  std::uint8_t flags_ = 0;
  std::uint8_t interest_ = 0;  // the backend's own
  std::uint32_t told_at_ = 0;  // when it was opened, or told bytes last: Loop::turn_ms_
};

}  // namespace eider
