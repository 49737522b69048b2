// The interface of backends to streams, listeners and watches.
// Layering: must not be used above runtime/.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>

#include "eider/io/runtime/fd_watch.h"
#include "eider/io/runtime/listener.h"
#include "eider/io/runtime/stream.h"

namespace eider {

/// After any `tell_…` the stream may be closed or destroyed: check an object that outlives it
/// before using it.
class StreamAccess {
 public:
  static int fd(const Stream& stream) noexcept { return stream.fd_; }
  static std::uint32_t& slot(Stream& stream) noexcept { return stream.slot_; }
  static std::uint32_t slot(const Stream& stream) noexcept { return stream.slot_; }
  static std::uint8_t& interest(Stream& stream) noexcept { return stream.interest_; }

  /// Returns whether bytes would be passed to the owner now. Bytes at other times are copied and
  /// held back.
  static bool wants_bytes(const Stream& stream) noexcept { return stream.wants_bytes(); }
  /// Returns whether input is reported before a reset; not while reading is paused.
  static bool reads_on(const Stream& stream) noexcept { return stream.is(Stream::kReadsOn); }
  /// Returns whether output waits: call `tell_writable` when the socket accepts more.
  static bool wants_writable(const Stream& stream) noexcept {
    return stream.is(Stream::kWaiting) && !stream.is(Stream::kBroken);
  }
  /// Returns whether output given to the socket now would not overtake waiting output.
  static bool may_send(const Stream& stream) noexcept {
    return !stream.is(Stream::kWaiting) && !stream.is(Stream::kBroken);
  }

  /// Encrypts corked bytes before they are sent. Returns false if they must not be sent now; they
  /// were then taken.
  static bool is_ready_to_send(Stream& stream, Buffer& corked) {
    return !stream.is(Stream::kSealed) || seal_corked(stream, corked);
  }

  static void tell_bytes(Stream& stream, std::string_view bytes) { stream.tell_bytes(bytes); }
  static void tell_end(Stream& stream) { stream.tell_end(); }
  static void tell_broken(Stream& stream, NetError error) { stream.tell_broken(error); }
  static void tell_writable(Stream& stream) { stream.tell_writable(); }

  /// For a backend that sends `corked` later than `flush_cork`: the socket accepted `sent` bytes of
  /// it. The rest is kept (the buffer may be emptied for that).
  static void keep_corked(Stream& stream, Buffer& corked, std::size_t sent) {
    stream.keep_corked(corked, sent);
  }
  /// The same if the send failed permanently: the owner is informed after the events of this turn.
  static void break_later(Stream& stream, NetError error) { stream.break_later(error); }

 private:
  [[nodiscard]] static bool seal_corked(Stream& stream, Buffer& corked);
};

class WatchAccess {
 public:
  static int fd(const Listener& listener) noexcept { return listener.fd_.get(); }
  static std::uint32_t& slot(Listener& listener) noexcept { return listener.slot_; }
  /// The listener may be closed or destroyed when this returns.
  static void tell_accepted(Listener& listener, Descriptor fd) {
    listener.tell_accepted(std::move(fd));
  }
  /// The same. The backend must stop accepting by itself: `attach` is called again later.
  static void tell_failed(Listener& listener, NetError error) { listener.tell_failed(error); }

  /// Returns whether connections are being established that started before the listener began to
  /// close; queries the kernel.
  static bool has_handshakes(Listener& listener) { return listener.has_handshakes(); }

  static std::uint32_t& slot(FdWatch& watch) noexcept { return watch.slot_; }
  static Readiness wanted(const FdWatch& watch) noexcept { return watch.wanted_; }
};

}  // namespace eider
