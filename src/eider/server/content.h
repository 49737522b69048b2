// Response bodies that are not in memory: produced while they are sent, or from a file.
// Layering: must not know connections: it gets a writer, or names its file.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "eider/core/base/work.h"
#include "eider/io/runtime/descriptor.h"
#include "eider/io/runtime/loop.h"
#include "eider/io/runtime/sync.h"
#include "eider/io/runtime/task.h"
#include "eider/protocols/http/response.h"

namespace eider {

/// The destination of a producer's output. The status and headers are sent before the first byte.
///
/// When the client disconnects, the producer's task is destroyed where it waits: no call here
/// fails.
class BodyWriter {
 public:
  class WriteAwaiter;
  /// How the bytes written so far end: after an event, or within one whose rest is not written yet.
  enum class Ending : std::uint8_t { whole, cut };

  BodyWriter() = default;
  BodyWriter(const BodyWriter&) = delete;
  BodyWriter& operator=(const BodyWriter&) = delete;
  virtual ~BodyWriter() = default;

  /// `co_await out.write(bytes)` waits only while the client is slow. Output is sent together when
  /// the producer waits for anything.
  ///
  /// bytes  not kept after the return; empty bytes write nothing
  [[nodiscard]] WriteAwaiter write(std::string_view bytes);

  /// Returns the status and headers, to change them before the first byte.
  [[nodiscard]] virtual Response& head() noexcept = 0;
  /// Adds a trailer, sent after the body if the framing supports trailers (chunked).
  /// Throws std::invalid_argument like Response::add_header.
  virtual void add_trailer(std::string_view name, std::string_view value) = 0;

  // For writers that wrap another, e.g. to compress.

  /// Accepts the bytes, even if there is no room.
  virtual void put(std::string_view bytes) = 0;
  /// Sends everything written so far, and the headers if nothing was written: an encoder that
  /// buffers its input passes its data on.
  virtual void flush() {}
  /// Set while there is room: producers of much output wait for it first.
  [[nodiscard]] virtual AsyncEvent& room() noexcept = 0;
  /// Called by producers that write an event in several parts: see ProducedContent::last_words.
  virtual void note_ending(Ending /*ending*/) noexcept {}
};

class BodyWriter::WriteAwaiter {
 public:
  explicit WriteAwaiter(AsyncEvent& room) noexcept : awaiter_(room) {}
  bool await_ready() const noexcept { return awaiter_.await_ready(); }
  void await_suspend(std::coroutine_handle<> waiting) noexcept {
    note_.begin(WaitNote::What::client, "to read more", Loop::current().now());
    awaiter_.await_suspend(waiting);
  }
  void await_resume() noexcept { note_.end(); }

 private:
  AsyncEvent::Awaiter awaiter_;
  WaitNote note_;
};

inline BodyWriter::WriteAwaiter BodyWriter::write(std::string_view bytes) {
  put(bytes);
  return WriteAwaiter(room());
}

/// A response body that is produced while it is sent.
class ProducedContent {
 public:
  ProducedContent() = default;
  ProducedContent(const ProducedContent&) = delete;
  ProducedContent& operator=(const ProducedContent&) = delete;
  virtual ~ProducedContent() = default;

  /// Produces the body. Called once, after the handler and all middleware. Destroyed when the
  /// client disconnects. An exception before the first byte becomes an error response; later it
  /// aborts the connection, so that the client does not take the body for complete.
  [[nodiscard]] virtual Task<> produce(BodyWriter& out) = 0;
  /// Returns the length, if it is known: then Content-Length is sent, and must be right.
  [[nodiscard]] virtual std::optional<std::uint64_t> length() const noexcept {
    return std::nullopt;
  }
  /// Returns whether every byte must reach the client as soon as it is written: events, not
  /// downloads.
  [[nodiscard]] virtual bool is_live() const noexcept { return false; }
  /// Returns the text to send at the end if the body ends because the server drains. Not sent
  /// within an event: the text would complete it, and the client would process a cut event.
  [[nodiscard]] virtual std::string last_words() const { return {}; }
};

/// Returns the size of a shared body that was made for this response alone; 0 if it has other
/// owners.
///
/// senders  the number of references that the caller has
[[nodiscard]] inline std::size_t own_shared_bytes(const Response& response, int senders) {
  const std::shared_ptr<const void> owner = response.body_owner();
  return owner.use_count() <= 2 + senders ? response.body().size() : 0;
}

/// Parts of an open file, sent by the kernel without copying to this process.
class FileContent final {
 public:
  /// A part of the file, with a text before it (the headers of a part of multipart/byteranges).
  struct Piece {
    std::string before{};
    std::uint64_t offset = 0;
    std::uint64_t bytes = 0;
  };

  /// tail  sent after the last piece
  FileContent(std::shared_ptr<const Descriptor> file, std::vector<Piece> pieces,
              std::string tail = {});
  [[nodiscard]] const std::shared_ptr<const Descriptor>& file() const noexcept { return file_; }
  [[nodiscard]] const std::vector<Piece>& pieces() const noexcept { return pieces_; }
  [[nodiscard]] std::string_view tail() const noexcept { return tail_; }
  /// Returns the total length, as for Content-Length.
  [[nodiscard]] std::uint64_t bytes() const noexcept;

 private:
  std::shared_ptr<const Descriptor> file_;
  std::vector<Piece> pieces_;
  std::string tail_;
};

}  // namespace eider
