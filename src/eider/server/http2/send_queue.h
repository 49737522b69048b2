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
  /// Bytes that stay where they are until they have left, or `keep`.
  void begin_memory(std::string_view bytes) noexcept;
  /// The same of bytes that cost the connection nothing, since others keep them.
  void begin_shared(std::string_view bytes) noexcept;
  /// content  outlives the queue's use of it
  void begin_file(const FileContent& content) noexcept;
  /// What is appended to `produced()`, until `end`.
  void begin_produced() noexcept { kind_ = Kind::produced; }
  void end() noexcept { has_ended_ = true; }
  /// Room for more of it. The reference is valid until the next call.
  [[nodiscard]] Buffer& produced();

  [[nodiscard]] h2::Ready ready(std::size_t bytes_max) const noexcept;
  /// Pre: bytes <= ready().bytes. False when a file is shorter than it was.
  [[nodiscard]] bool put(char* to, std::size_t bytes) noexcept;

  /// What could leave at once.
  [[nodiscard]] std::uint64_t waiting_bytes() const noexcept;
  [[nodiscard]] bool is_memory() const noexcept { return kind_ == Kind::memory; }
  [[nodiscard]] bool is_produced() const noexcept { return kind_ == Kind::produced; }
  /// Of memory: what has not left yet.
  [[nodiscard]] std::string_view rest() const noexcept { return rest_; }
  /// The same bytes, at another place from now on.
  void move_to(std::string_view rest) noexcept { rest_ = rest; }

  /// Gives a large buffer back when nothing is in it.
  void release_sent() noexcept;
  /// As new; a small buffer is kept.
  void reset() noexcept;

 private:
  enum class Kind : std::uint8_t { none, memory, shared, file, produced };

  [[nodiscard]] bool put_file(char* to, std::size_t bytes) noexcept;
  [[nodiscard]] std::size_t put_some(char* to, std::size_t bytes) noexcept;
  [[nodiscard]] std::size_t put_piece(char* to, std::size_t bytes) noexcept;

  std::string_view rest_;
  const FileContent* file_ = nullptr;
  std::size_t piece_ = 0;
  std::uint64_t at_ = 0;    // within the piece, with its text, or within the tail
  std::uint64_t left_ = 0;  // of the file
  Buffer produced_;
  std::size_t used_ = 0;
  Kind kind_ = Kind::none;
  bool has_ended_ = false;
};

/// What the responses of one connection have sent, and what they hold in memory for that.
class OutgoingH2 {
 public:
  /// A response holds so much memory, until its last byte has left.
  void note_held(std::size_t bytes) noexcept { held_bytes_ += bytes; }
  void note_taken(std::size_t bytes) noexcept { held_bytes_ -= bytes; }
  [[nodiscard]] std::size_t held_bytes() const noexcept { return held_bytes_; }

  /// A stream is reset because its client has left a window closed. returns  whether it is too many
  [[nodiscard]] bool note_unread_stream() noexcept { return std::exchange(has_unread_, true); }

  /// The session has taken content, held or not.
  void note_sent(std::size_t bytes) noexcept { sent_bytes_ += bytes; }
  [[nodiscard]] std::uint64_t sent_bytes() const noexcept { return sent_bytes_; }

 private:
  std::size_t held_bytes_ = 0;
  std::uint64_t sent_bytes_ = 0;
  bool has_unread_ = false;
};

}  // namespace eider::detail::http2
