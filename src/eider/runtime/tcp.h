// A connected socket that tasks read from and write to: the clients' side of a Stream.
// Must not be used where each request counts: a server is told bytes and keeps no buffer.
#pragma once

#include <coroutine>
#include <cstddef>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "eider/base/buffer.h"
#include "eider/base/result.h"
#include "eider/runtime/descriptor.h"
#include "eider/runtime/detail/waiter.h"
#include "eider/runtime/loop.h"
#include "eider/runtime/net_error.h"
#include "eider/runtime/stream.h"

namespace eider {

/// One reads at a time, several may write. Destroying it closes the connection at once.
///
///     Result<Descriptor, NetError> fd = co_await connect(address, 5s);
///     …
///     TcpStream connection(std::move(*fd));
///     auto written = co_await connection.write("PING\r\n");
///     auto reply = co_await connection.read();
class TcpStream final : private StreamOwner {
 public:
  class ReadAwaiter;
  class WriteAwaiter;

  /// Takes over a connected socket, on the loop that runs.
  explicit TcpStream(Descriptor fd) : TcpStream(Loop::current(), std::move(fd)) {}
  TcpStream(Loop& loop, Descriptor fd);
  ~TcpStream();
  TcpStream(const TcpStream&) = delete;
  TcpStream& operator=(const TcpStream&) = delete;

  /// As Stream::secure: what is written leaves behind the handshake. Pre: nothing was written.
  void secure(std::unique_ptr<Seal> seal) { stream_.secure(std::move(seal)); }

  /// `co_await connection.read()` waits until there is something.
  ///
  /// returns  all that has arrived, valid until the next `read`; empty: the peer has ended
  /// errors   how the connection was lost, after all that had arrived has been read
  [[nodiscard]] ReadAwaiter read() noexcept;

  /// `co_await connection.write(bytes)` waits only while earlier bytes are held back by the socket.
  /// What several writes of one turn gave leaves in one send at its end.
  ///
  /// bytes    not kept after it returned
  /// errors   how the connection was lost; success does not say that the peer got anything
  [[nodiscard]] WriteAwaiter write(std::string_view bytes) noexcept;

  /// Sends FIN after all that was written; reading goes on.
  void end();
  /// At once. Who waits learns `closed`.
  void close() noexcept;

  [[nodiscard]] bool is_open() const noexcept { return stream_.is_open(); }

 private:
  // More than this is not read ahead of the reader, nor kept for the socket without waiting.
  static constexpr std::size_t kAheadBytesMax = 64 * 1024;

  void on_bytes(std::string_view bytes) override;
  void on_end() override;
  void on_drained() override;
  void on_broken(NetError error) override;

  [[nodiscard]] bool has_news() const noexcept {
    return !arrived_.empty() || has_ended_ || !stream_.is_open();
  }
  Result<std::string_view, NetError> take_arrived();
  bool try_write(std::string_view bytes);
  void lose(NetError error) noexcept;

  Stream stream_;
  Buffer arrived_;
  Buffer given_;  // what the last `read` returned
  bool has_ended_ = false;
  NetError error_ = NetError::closed;
  detail::Waiter::List readers_;
  detail::Waiter::List writers_;
};

class TcpStream::ReadAwaiter final : private detail::Waiter {
 public:
  explicit ReadAwaiter(TcpStream& of) noexcept : of_(of) {}
  bool await_ready() const noexcept { return of_.has_news(); }
  void await_suspend(std::coroutine_handle<> waiting) noexcept { wait_in(of_.readers_, waiting); }
  Result<std::string_view, NetError> await_resume() { return of_.take_arrived(); }

 private:
  TcpStream& of_;
};

class TcpStream::WriteAwaiter final : private detail::Waiter {
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

inline TcpStream::ReadAwaiter TcpStream::read() noexcept {
  return ReadAwaiter(*this);
}

inline TcpStream::WriteAwaiter TcpStream::write(std::string_view bytes) noexcept {
  return WriteAwaiter(*this, bytes);
}

}  // namespace eider
