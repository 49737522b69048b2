// A connected socket, encrypted or not, that tasks read from and write to.
// Must not know any protocol, nor keep deadlines.
#pragma once

#include <coroutine>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "eider/base/buffer.h"
#include "eider/base/result.h"
#include "eider/runtime/descriptor.h"
#include "eider/runtime/loop.h"
#include "eider/runtime/net_error.h"
#include "eider/runtime/seal.h"
#include "eider/runtime/stream.h"
#include "eider/runtime/sync.h"

namespace eider::detail {

/// As runtime/tcp.h has it, with room for a seal: one reads, several may write.
class Line final : private StreamOwner {
 public:
  class ReadAwaiter;
  class WriteAwaiter;

  /// seal  null: in the clear. What is written leaves behind its handshake.
  Line(Loop& loop, Descriptor fd, std::unique_ptr<Seal> seal);
  ~Line();
  Line(const Line&) = delete;
  Line& operator=(const Line&) = delete;

  /// returns  all that has arrived, valid until the next `read`; empty: the peer has ended
  /// errors   how the connection was lost, after all that had arrived has been read
  [[nodiscard]] ReadAwaiter read() noexcept;
  /// Waits only while earlier bytes are held back by the socket.
  ///
  /// bytes    not kept after it returned
  /// errors   how the connection was lost; success does not say that the peer got anything
  [[nodiscard]] WriteAwaiter write(std::string_view bytes) noexcept;

  /// Sends FIN after all that was written; reading goes on.
  void end();
  /// At once. Who waits learns `closed`.
  void close() noexcept;
  [[nodiscard]] bool is_open() const noexcept { return stream_.is_open(); }
  /// Why the encryption failed; empty when it has not.
  [[nodiscard]] std::string_view why_insecure() const noexcept { return why_insecure_; }

 private:
  // More than this is not read ahead of the reader, nor kept for the socket without waiting.
  static constexpr std::size_t kAheadBytesMax = 64UL * 1024;

  void on_bytes(std::string_view bytes) override;
  void on_end() override;
  void on_drained() override;
  void on_broken(NetError error) override;

  [[nodiscard]] bool has_news() const noexcept {
    return !arrived_.empty() || has_ended_ || !stream_.is_open();
  }
  [[nodiscard]] Result<std::string_view, NetError> take_arrived();
  [[nodiscard]] bool try_write(std::string_view bytes);
  void lose(NetError error) noexcept;

  std::string why_insecure_;  // outlives the stream's seal
  Stream stream_;
  Buffer arrived_;
  Buffer given_;  // what the last `read` returned
  Event readable_;
  Event writable_;
  NetError error_ = NetError::closed;
  bool has_ended_ = false;
};

class Line::ReadAwaiter {
 public:
  explicit ReadAwaiter(Line& of) noexcept : of_(of), waiting_(of.readable_.wait()) {}
  bool await_ready() const noexcept { return of_.has_news(); }
  void await_suspend(std::coroutine_handle<> waiting) noexcept {
    of_.readable_.reset();
    waiting_.await_suspend(waiting);
  }
  Result<std::string_view, NetError> await_resume() { return of_.take_arrived(); }

 private:
  Line& of_;
  Event::Awaiter waiting_;
};

class Line::WriteAwaiter {
 public:
  WriteAwaiter(Line& of, std::string_view bytes) noexcept
      : of_(of), bytes_(bytes), waiting_(of.writable_.wait()) {}
  bool await_ready() { return of_.try_write(bytes_); }
  void await_suspend(std::coroutine_handle<> waiting) noexcept {
    of_.writable_.reset();
    waiting_.await_suspend(waiting);
  }
  Result<void, NetError> await_resume() const {
    if (!of_.is_open()) {
      return fail(of_.error_);
    }
    return {};
  }

 private:
  Line& of_;
  std::string_view bytes_;
  Event::Awaiter waiting_;
};

inline Line::ReadAwaiter Line::read() noexcept {
  return ReadAwaiter(*this);
}

inline Line::WriteAwaiter Line::write(std::string_view bytes) noexcept {
  return {*this, bytes};
}

}  // namespace eider::detail
