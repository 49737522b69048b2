// A connected socket that tasks read from and write to, for clients.
// Layering: must not be used by servers, which keep no buffer.
#pragma once

#include <coroutine>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "eider/core/base/buffer.h"
#include "eider/core/base/result.h"
#include "eider/io/runtime/deferred.h"
#include "eider/io/runtime/descriptor.h"
#include "eider/io/runtime/loop.h"
#include "eider/io/runtime/net_error.h"
#include "eider/io/runtime/stream.h"
#include "eider/io/runtime/waiter.h"

namespace eider {

/// A TCP connection for tasks: one task reads at a time, several may write. Destroying it closes
/// the connection at once. After tasks have used it, a protocol can receive its bytes with
/// `hand_over`.
///
///     Result<Descriptor, NetError> fd = co_await connect(address, 5s);
///     …
///     TcpStream connection(std::move(*fd));
///     auto written = co_await connection.write("PING\r\n");
///     auto reply = co_await connection.read();
class TcpStream final : private StreamOwner, private Deferred {
 public:
  class ReadAwaiter;
  class WriteAwaiter;
  class SecuredAwaiter;

  /// Takes over a connected socket, on the loop that runs.
  explicit TcpStream(Descriptor fd) : TcpStream(Loop::current(), std::move(fd)) {}
  TcpStream(Loop& loop, Descriptor fd);
  ~TcpStream();
  TcpStream(const TcpStream&) = delete;
  TcpStream& operator=(const TcpStream&) = delete;

  /// Starts TLS, as Stream::secure: later bytes are sent after the handshake, and bytes that were
  /// received but not read belong to the handshake. Pre: all earlier bytes were sent.
  void secure(std::unique_ptr<Seal> seal);
  /// `co_await connection.secured()` waits for the end of the handshake.
  ///
  /// errors   how the connection was lost; why_insecure() may say more
  [[nodiscard]] SecuredAwaiter secured() noexcept;

  /// `co_await connection.read()` waits until there is something.
  ///
  /// returns  all that has arrived, valid until the next `read`; empty: the peer has ended
  /// errors   how the connection was lost, after all that had arrived has been read
  [[nodiscard]] ReadAwaiter read() noexcept;

  /// `co_await connection.write(bytes)` waits only while earlier bytes are held back by the socket.
  /// The bytes of several writes in one turn are sent together at its end.
  ///
  /// bytes    not kept after it returned
  /// errors   how the connection was lost; success does not say that the peer got anything
  [[nodiscard]] WriteAwaiter write(std::string_view bytes) noexcept;

  /// Returns bytes to the connection, so that the next `read` returns them first.
  void unread(std::string_view bytes);

  /// Reports events to `owner` instead of tasks, from the end of this turn: first the bytes that
  /// were received but not read. The owner outlives this. Pre: no task waits.
  void hand_over(StreamOwner& owner);
  /// Returns the stream, for writing after `hand_over`.
  [[nodiscard]] Stream& stream() noexcept { return stream_; }
  [[nodiscard]] const Stream& stream() const noexcept { return stream_; }

  /// Sends FIN after all that was written; reading goes on.
  void end();
  /// Closes the connection at once. Waiting tasks get `closed`.
  void close() noexcept;

  [[nodiscard]] bool is_open() const noexcept { return stream_.is_open(); }
  /// Returns the reason why encryption failed, as a sentence; empty if it has not failed.
  [[nodiscard]] std::string_view why_insecure() const noexcept { return why_insecure_; }

 private:
  // The limit of input that is read in advance, and of output that is kept without waiting.
  static constexpr std::size_t kAheadBytesMax = 64 * 1024;

  void on_bytes(std::string_view bytes) override;
  void on_end() override;
  void on_drained() override;
  void on_secured() override;
  void on_broken(NetError error) override;
  void on_insecure(std::string_view why) override;
  void run() override;

  /// Returns whether events go directly to the owner: nothing is left to be reported before them.
  [[nodiscard]] bool is_handed_over() const noexcept { return owner_ != nullptr && !is_queued(); }
  [[nodiscard]] bool has_news() const noexcept {
    return !arrived_.empty() || has_ended_ || !stream_.is_open();
  }
  Result<std::string_view, NetError> take_arrived();
  bool try_write(std::string_view bytes);
  void lose(NetError error) noexcept;

  Stream stream_;
  Buffer arrived_;
  Buffer given_;  // the result of the last `read`
  StreamOwner* owner_ = nullptr;
  bool has_ended_ = false;
  bool is_secured_ = false;
  NetError error_ = NetError::closed;
  std::string why_insecure_;
  detail::runtime::Waiter::List handshakes_;
  detail::runtime::Waiter::List readers_;
  detail::runtime::Waiter::List writers_;
};

class TcpStream::ReadAwaiter final : private detail::runtime::Waiter {
 public:
  explicit ReadAwaiter(TcpStream& of) noexcept : of_(of) {}
  bool await_ready() const noexcept { return of_.has_news(); }
  void await_suspend(std::coroutine_handle<> waiting) noexcept { wait_in(of_.readers_, waiting); }
  Result<std::string_view, NetError> await_resume() { return of_.take_arrived(); }

 private:
  TcpStream& of_;
};

class TcpStream::WriteAwaiter final : private detail::runtime::Waiter {
 public:
  WriteAwaiter(TcpStream& of, std::string_view bytes) noexcept : of_(of), bytes_(bytes) {}
  bool await_ready() { return of_.try_write(bytes_); }
  void await_suspend(std::coroutine_handle<> waiting) noexcept { wait_in(of_.writers_, waiting); }
  Result<void, NetError> await_resume() const {
    if (!of_.is_open()) {
      return fail(of_.error_);
    }
    return {};
  }

 private:
  TcpStream& of_;
  std::string_view bytes_;
};

class TcpStream::SecuredAwaiter final : private detail::runtime::Waiter {
 public:
  explicit SecuredAwaiter(TcpStream& of) noexcept : of_(of) {}
  bool await_ready() const noexcept { return of_.is_secured_ || of_.has_ended_ || !of_.is_open(); }
  void await_suspend(std::coroutine_handle<> waiting) noexcept {
    wait_in(of_.handshakes_, waiting);
  }
  Result<void, NetError> await_resume() const {
    if (!of_.is_secured_ || !of_.is_open()) {
      return fail(of_.error_);
    }
    return {};
  }

 private:
  TcpStream& of_;
};

inline TcpStream::SecuredAwaiter TcpStream::secured() noexcept {
  return SecuredAwaiter(*this);
}

inline TcpStream::ReadAwaiter TcpStream::read() noexcept {
  return ReadAwaiter(*this);
}

inline TcpStream::WriteAwaiter TcpStream::write(std::string_view bytes) noexcept {
  return WriteAwaiter(*this, bytes);
}

}  // namespace eider
