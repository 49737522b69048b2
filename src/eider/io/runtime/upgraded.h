// The connection or stream of a protocol after an HTTP upgrade.
// Layering: must not know how it came to be: HTTP hands over, or a client has connected.
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>

#include "eider/core/base/buffer.h"
#include "eider/core/base/shared_log.h"
#include "eider/io/runtime/loop.h"
#include "eider/protocols/http/request.h"

namespace eider {

/// What a protocol may do with the connection it has taken over. Bytes go out as by a Stream.
class UpgradedLine : public Peer {
 public:
  [[nodiscard]] virtual Loop& loop() noexcept = 0;
  /// What is appended leaves by `flush`, or at the end of the turn. Do not keep the reference
  /// beyond that, nor across a call to another line.
  [[nodiscard]] virtual Buffer& output() = 0;
  /// Sends what is in `output` now. Returns whether nothing waits; else `on_drained` follows.
  virtual bool flush() = 0;
  /// Sends bytes that other queues share, in addition to `output`: without a copy where the line
  /// can refer to them.
  virtual void send_shared(const detail::base::SharedBytes& shared) {
    output().append(shared.bytes);
  }
  /// What could not leave so far, beside what `output` holds.
  [[nodiscard]] virtual std::size_t waiting_bytes() const noexcept = 0;
  /// The same with what the kernel holds for the client: see runtime/unread.h.
  [[nodiscard]] virtual std::size_t unread_bytes() const noexcept { return waiting_bytes(); }
  /// No `on_bytes` and no `on_end` until `resume_reading`.
  virtual void pause_reading() noexcept = 0;
  virtual void resume_reading() = 0;
  /// Others use the same connection, so that the side that ends this line first has nothing to
  /// remember for it (TIME_WAIT).
  [[nodiscard]] virtual bool is_shared() const noexcept { return false; }
  /// Says that no more comes, behind all output; reading goes on.
  virtual void end() = 0;
  /// Drops what waits, by force: the peer learns that it is cut off. `close` has to follow.
  virtual void reset() noexcept = 0;
  /// While the server stops because another process has taken over: when this peer is to come back,
  /// so that not all do in one instant. Another time for each call; zero where nobody has.
  [[nodiscard]] virtual Duration comes_back_in() noexcept { return Duration::zero(); }
  /// Has Upgraded::on_time called then, in place of what was set before: a timer of one's own is
  /// memory. Returns false where the line has none to lend.
  virtual bool wake_at(Instant /*due*/) noexcept { return false; }
  /// Ends the connection: the protocol's object is destroyed later in this turn, never inside this
  /// call. Flush first; what waits then may be dropped.
  virtual void close() noexcept = 0;

 protected:
  ~UpgradedLine() override = default;
};

/// Lives as long as the connection, mostly. Calls come on the loop's thread, never from within a
/// call to the line. None of them may throw.
class Upgraded {
 public:
  virtual ~Upgraded() = default;
  /// Bytes arrived, at least one; they are valid until the call returns.
  virtual void on_bytes(std::string_view bytes) = 0;
  /// The peer sends no more.
  virtual void on_end() = 0;
  /// All that the socket had refused has left.
  virtual void on_drained() = 0;
  /// The connection is gone; the object is destroyed when this returns.
  virtual void on_broken() = 0;
  /// The server stops: say goodbye, and close the line soon. What is left at the drain's deadline
  /// is destroyed.
  virtual void on_stopping() = 0;
  /// As UpgradedLine::wake_at has it.
  virtual void on_time() {}
  /// The last call: the line is gone after it. Destroys the object, unless it has an owner of its
  /// own, or something to finish.
  virtual void on_line_gone() noexcept { delete this; }
};

/// How the line lets go of its protocol.
struct UpgradedEnd {
  UpgradedEnd() = default;
  template <class T>
  // NOLINTNEXTLINE(google-explicit-constructor): a std::unique_ptr<T> is to convert by itself
  UpgradedEnd(std::default_delete<T> /*other*/) noexcept {}
  void operator()(Upgraded* protocol) const noexcept { protocol->on_line_gone(); }
};
using UpgradedPtr = std::unique_ptr<Upgraded, UpgradedEnd>;

}  // namespace eider
