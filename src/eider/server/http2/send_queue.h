// The body of one HTTP/2 response, sent as the client's window allows.
// Layering: must not copy files into memory: they are read when they are sent.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include "eider/core/base/buffer.h"
#include "eider/protocols/http/h2/session.h"
#include "eider/server/content.h"

namespace eider::detail::http2 {

class SendQueue {
 public:
  /// Sends bytes that stay valid until they were sent, or until `keep`.
  void begin_memory(std::string_view bytes) noexcept;
  /// The same for bytes that do not count for the connection, because they have other owners.
  void begin_shared(std::string_view bytes) noexcept;
  /// content  must outlive its use by the queue
  void begin_file(const FileContent& content) noexcept;
  /// Sends bytes that are appended to `produced()`, until `end`.
  void begin_produced() noexcept { kind_ = Kind::produced; }
  void end() noexcept { has_ended_ = true; }
  /// Returns the buffer to append to. The reference is valid until the next call.
  [[nodiscard]] Buffer& produced();

  [[nodiscard]] h2::Ready ready(std::size_t bytes_max) const noexcept;
  /// Pre: bytes <= ready().bytes. Returns false if a file has become shorter.
  [[nodiscard]] bool put(char* to, std::size_t bytes) noexcept;

  /// Returns the number of bytes that could be sent now.
  [[nodiscard]] std::uint64_t waiting_bytes() const noexcept;
  [[nodiscard]] bool is_memory() const noexcept { return kind_ == Kind::memory; }
  [[nodiscard]] bool is_produced() const noexcept { return kind_ == Kind::produced; }
  /// Returns the unsent bytes of begin_memory.
  [[nodiscard]] std::string_view rest() const noexcept { return rest_; }
  /// Sets a new location of the same bytes.
  void move_to(std::string_view rest) noexcept { rest_ = rest; }

  /// Frees a large buffer if it is empty.
  void release_sent() noexcept;
  /// Resets to the initial state; a small buffer is kept.
  void reset() noexcept;

 private:
  enum class Kind : std::uint8_t { none, memory, shared, file, produced };

  [[nodiscard]] bool put_file(char* to, std::size_t bytes) noexcept;
  [[nodiscard]] std::size_t put_some(char* to, std::size_t bytes) noexcept;
  [[nodiscard]] std::size_t put_piece(char* to, std::size_t bytes) noexcept;

  std::string_view rest_;
  const FileContent* file_ = nullptr;
  std::size_t piece_ = 0;
  std::uint64_t at_ = 0;    // within the piece, including its text, or within the tail
  std::uint64_t left_ = 0;  // bytes left of the file
  Buffer produced_;
  std::size_t used_ = 0;
  Kind kind_ = Kind::none;
  bool has_ended_ = false;
};

/// The output of one connection's responses: bytes sent, and memory held.
class OutgoingH2 {
 public:
  /// Adds memory that a response holds until its last byte was sent.
  void note_held(std::size_t bytes) noexcept { held_bytes_ += bytes; }
  void note_taken(std::size_t bytes) noexcept { held_bytes_ -= bytes; }
  [[nodiscard]] std::size_t held_bytes() const noexcept { return held_bytes_; }

  /// Called when a stream is reset because its client did not open a window. returns  whether it is
  /// not the first one
  [[nodiscard]] bool note_unread_stream() noexcept { return std::exchange(has_unread_, true); }

  /// Called when the session has read bytes of a body, held or not.
  void note_sent(std::size_t bytes) noexcept { sent_bytes_ += bytes; }
  [[nodiscard]] std::uint64_t sent_bytes() const noexcept { return sent_bytes_; }

 private:
  std::size_t held_bytes_ = 0;
  std::uint64_t sent_bytes_ = 0;
  bool has_unread_ = false;
};

}  // namespace eider::detail::http2
