// The connection or stream of a protocol after an HTTP upgrade.
// Layering: must not know how the connection was established: by an HTTP upgrade or as a client.
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>

#include "eider/core/base/buffer.h"
#include "eider/core/base/shared_log.h"
#include "eider/io/runtime/loop.h"
#include "eider/protocols/http/request.h"

namespace eider {

/// The operations of a protocol on the connection that it has taken over. Output works like that of
/// a Stream.
class UpgradedLine : public Peer {
 public:
  [[nodiscard]] virtual Loop& loop() noexcept = 0;
  /// Appended bytes are sent by `flush`, or at the end of the turn. Do not keep the reference
  /// beyond that, nor across a call of another line.
  [[nodiscard]] virtual Buffer& output() = 0;
  /// Sends `output` now. Returns whether nothing waits; if not, `on_drained` follows.
  virtual bool flush() = 0;
  /// Sends bytes that other queues share, after `output`; without a copy if the line can refer to
  /// them.
  virtual void send_shared(const detail::base::SharedBytes& shared) {
    output().append(shared.bytes);
  }
  /// Returns the bytes that the socket has refused, without those in `output`.
  [[nodiscard]] virtual std::size_t waiting_bytes() const noexcept = 0;
  /// The same including the bytes in the kernel: see Stream::unread_bytes.
  [[nodiscard]] virtual std::size_t unread_bytes() const noexcept { return waiting_bytes(); }
  /// Stops `on_bytes` and `on_end` until `resume_reading`.
  virtual void pause_reading() noexcept = 0;
  virtual void resume_reading() = 0;
  /// Returns whether others use the same connection, so that ending this line first leaves no
  /// TIME_WAIT state.
  [[nodiscard]] virtual bool is_shared() const noexcept { return false; }
  /// Announces the end of our data, after all output; reading goes on.
  virtual void end() = 0;
  /// Drops waiting output and resets the line, so that the peer notices. Must be followed by
  /// `close`.
  virtual void reset() noexcept = 0;
  /// While the server stops because another process has taken over: returns after which delay this
  /// peer should reconnect, so that not all reconnect at once. Each call returns another delay;
  /// zero if no process has taken over.
  [[nodiscard]] virtual Duration comes_back_in() noexcept { return Duration::zero(); }
  /// Schedules Upgraded::on_time, instead of an earlier time: a separate timer would need memory.
  /// Returns false if the line has no timer.
  virtual bool wake_at(Instant /*due*/) noexcept { return false; }
  /// Ends the connection: the protocol's object is destroyed later in this turn, never inside this
  /// call. Flush first; waiting output may be dropped.
  virtual void close() noexcept = 0;

 protected:
  ~UpgradedLine() override = default;
};

/// Usually lives as long as the connection. Called on the loop's thread, never from within a call
/// to the line. The functions must not throw.
class Upgraded {
 public:
  virtual ~Upgraded() = default;
  /// Bytes arrived, at least one; they are valid until the call returns.
  virtual void on_bytes(std::string_view bytes) = 0;
  /// The peer sends no more data.
  virtual void on_end() = 0;
  /// All output that the socket had refused was sent.
  virtual void on_drained() = 0;
  /// The connection is broken; the object is destroyed when this returns.
  virtual void on_broken() = 0;
  /// The server stops: send a close message, and close the line soon. Lines that are left at the
  /// deadline are destroyed.
  virtual void on_stopping() = 0;
  /// See UpgradedLine::wake_at.
  virtual void on_time() {}
  /// The last call: the line does not exist afterwards. Destroys the object; override it if the
  /// object has another owner, or something to finish.
  virtual void on_line_gone() noexcept { delete this; }
};

/// Calls on_line_gone, as the deleter of a protocol.
struct UpgradedEnd {
  UpgradedEnd() = default;
  template <class T>
  // NOLINTNEXTLINE(google-explicit-constructor): a std::unique_ptr<T> must convert implicitly
  UpgradedEnd(std::default_delete<T> /*other*/) noexcept {}
  void operator()(Upgraded* protocol) const noexcept { protocol->on_line_gone(); }
};
using UpgradedPtr = std::unique_ptr<Upgraded, UpgradedEnd>;

}  // namespace eider
