// What a response may carry instead of bytes in memory: content made while it is sent, or a file.
// Must not know connections: it is handed a writer, or tells where its bytes are.
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

/// Where a producer's content goes. The head leaves in front of the first byte.
///
/// When the client leaves, the producer's task is destroyed where it waits: nothing here fails.
class BodyWriter {
 public:
  class WriteAwaiter;

  BodyWriter() = default;
  BodyWriter(const BodyWriter&) = delete;
  BodyWriter& operator=(const BodyWriter&) = delete;
  virtual ~BodyWriter() = default;

  /// `co_await out.write(bytes)` waits only while the client is slow. What is written in one go
  /// leaves in one send when the producer waits for anything.
  ///
  /// bytes  not kept after it returned; none are no content
  [[nodiscard]] WriteAwaiter write(std::string_view bytes);

  /// The status and the fields that leave in front of the first byte, to be changed before it.
  [[nodiscard]] virtual Response& head() noexcept = 0;
  /// Adds a trailer field, sent behind the content when the framing has room for one (chunked).
  /// Throws std::invalid_argument as Response::add_header does.
  virtual void add_trailer(std::string_view name, std::string_view value) = 0;

  // For writers that wrap another, e.g. to compress.

  /// Takes the bytes, also beyond what there is room for.
  virtual void put(std::string_view bytes) = 0;
  /// Everything put so far must reach the client without waiting for more, and the head where
  /// nothing was: a coding that gathers its input hands on what it has.
  virtual void flush() {}
  /// Set while there is room: a producer of much waits for it first.
  [[nodiscard]] virtual Event& room() noexcept = 0;
};

class BodyWriter::WriteAwaiter {
 public:
  explicit WriteAwaiter(Event& room) noexcept : awaiter_(room) {}
  bool await_ready() const noexcept { return awaiter_.await_ready(); }
  void await_suspend(std::coroutine_handle<> waiting) noexcept {
    note_.begin(WaitNote::What::client, "to take more", Loop::current().now());
    awaiter_.await_suspend(waiting);
  }
  void await_resume() noexcept { note_.end(); }

 private:
  Event::Awaiter awaiter_;
  WaitNote note_;
};

inline BodyWriter::WriteAwaiter BodyWriter::write(std::string_view bytes) {
  put(bytes);
  return WriteAwaiter(room());
}

/// Content that is made while it is sent.
class ProducedContent {
 public:
  ProducedContent() = default;
  ProducedContent(const ProducedContent&) = delete;
  ProducedContent& operator=(const ProducedContent&) = delete;
  virtual ~ProducedContent() = default;

  /// Called once, after the handler and everything around it. Destroyed when the client leaves.
  /// What it throws before its first byte becomes an error response; later it cuts the connection,
  /// so that the client does not take the content for whole.
  [[nodiscard]] virtual Task<> produce(BodyWriter& out) = 0;
  /// How many bytes it will be, when that is known: then Content-Length is sent, and must hold.
  [[nodiscard]] virtual std::optional<std::uint64_t> length() const noexcept {
    return std::nullopt;
  }
  /// Every byte is to reach the client as soon as it is written: events, rather than a download.
  [[nodiscard]] virtual bool is_live() const noexcept { return false; }
  /// What stands behind all of it where it ends while the server drains.
  [[nodiscard]] virtual std::string last_words() const { return {}; }
};

/// The size of a shared body that was made for this response alone; 0 if others keep it anyway.
///
/// senders  references to it that are the caller's
[[nodiscard]] inline std::size_t own_shared_bytes(const Response& response, int senders) {
  const std::shared_ptr<const void> owner = response.body_owner();
  return owner.use_count() <= 2 + senders ? response.body().size() : 0;
}

/// Parts of an open file, sent by the kernel without passing through this process.
class FileContent final {
 public:
  /// Some bytes of the file, with text in front of them (the head of a part of
  /// multipart/byteranges).
  struct Piece {
    std::string before{};
    std::uint64_t offset = 0;
    std::uint64_t bytes = 0;
  };

  /// tail  behind the last piece
  FileContent(std::shared_ptr<const Descriptor> file, std::vector<Piece> pieces,
              std::string tail = {});
  [[nodiscard]] const std::shared_ptr<const Descriptor>& file() const noexcept { return file_; }
  [[nodiscard]] const std::vector<Piece>& pieces() const noexcept { return pieces_; }
  [[nodiscard]] std::string_view tail() const noexcept { return tail_; }
  /// All of it, as Content-Length says.
  [[nodiscard]] std::uint64_t bytes() const noexcept;

 private:
  std::shared_ptr<const Descriptor> file_;
  std::vector<Piece> pieces_;
  std::string tail_;
};

}  // namespace eider
