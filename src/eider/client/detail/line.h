// A connected socket, encrypted or not, that tasks read from and write to.
// Must not know any protocol, nor keep deadlines.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "eider/runtime/descriptor.h"
#include "eider/runtime/loop.h"
#include "eider/runtime/seal.h"
#include "eider/runtime/tcp.h"

namespace eider::detail {

/// As runtime/tcp.h has it, and it says why an encryption failed.
class Line final {
 public:
  /// seal  null: in the clear. What is written leaves behind its handshake.
  Line(Loop& loop, Descriptor fd, std::unique_ptr<Seal> seal);

  [[nodiscard]] TcpStream::ReadAwaiter read() noexcept { return stream_.read(); }
  [[nodiscard]] TcpStream::WriteAwaiter write(std::string_view bytes) noexcept {
    return stream_.write(bytes);
  }
  void end() { stream_.end(); }
  void close() noexcept { stream_.close(); }
  [[nodiscard]] bool is_open() const noexcept { return stream_.is_open(); }
  /// Why the encryption failed; empty when it has not.
  [[nodiscard]] std::string_view why_insecure() const noexcept { return why_insecure_; }

 private:
  std::string why_insecure_;  // outlives the stream's seal
  TcpStream stream_;
};

}  // namespace eider::detail
