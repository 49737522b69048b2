// The parts that few streams need: pending output, input that was held back.
// Layering: must not be used outside of stream.cc and stream_sealed.cc.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "eider/core/base/buffer.h"
#include "eider/io/runtime/deferred.h"
#include "eider/io/runtime/output_budget.h"
#include "eider/io/runtime/seal.h"
#include "eider/io/runtime/stream.h"

namespace eider {

/// The limit of a file's bytes in one turn, so that a fast reader of a large file does not block
/// others.
inline constexpr std::uint64_t kFileBytesPerTurn = 2UL * 1024 * 1024;

/// Output in one of four forms, so that none must be copied into another.
struct Stream::Chunk {
  Buffer corked;
  std::string owned;
  std::shared_ptr<const void> owner;  // if set, `shared` are the bytes
  std::string_view shared;
  std::size_t sent = 0;
  std::shared_ptr<const Descriptor> file;  // if set, `slice` is the rest to send
  FileSlice slice;
  std::size_t memory_bytes = 0;  // of `owner`, if only queues keep it

  /// Returns the memory of this stream alone.
  [[nodiscard]] std::size_t own_bytes() const noexcept {
    return corked.capacity() + (owned.empty() ? 0 : owned.capacity());
  }
  [[nodiscard]] std::string_view all() const noexcept {
    return owner != nullptr ? shared : owned.empty() ? corked.view() : std::string_view(owned);
  }
  [[nodiscard]] std::string_view left() const noexcept { return all().substr(sent); }
};

/// The encryption of one stream: stream_sealed.cc. Waiting chunks are plaintext; `left` is sent
/// before them.
class Stream::Sealing {
 public:
  Sealing(Stream& stream, std::unique_ptr<Seal> seal) noexcept
      : stream_(stream), seal_(std::move(seal)) {}

  void start();
  [[nodiscard]] const Seal& seal() const noexcept { return *seal_; }
  /// Returns the memory for ciphertext, and for output that waits for the handshake.
  [[nodiscard]] std::size_t own_bytes() const noexcept {
    return (wire_.empty() ? 0 : wire_.capacity()) + early_.capacity();
  }
  /// Drops all waiting output.
  void drop_output() noexcept {
    wire_.release();
    early_.release();
    sent_ = 0;
  }
  /// Returns the ciphertext that was not sent yet.
  [[nodiscard]] std::string_view left() const noexcept { return wire_.view().substr(sent_); }

  bool tell_bytes(std::string_view ciphertext);
  void tell_held();

  [[nodiscard]] bool flush(std::string_view plaintext);
  [[nodiscard]] bool seal_corked(Buffer& corked);
  void send_chunk(Chunk chunk);
  [[nodiscard]] bool drain();
  void keep_refused(std::string_view refused);

  void end() noexcept;
  void close() noexcept;

 private:
  void tell_secured();
  [[nodiscard]] bool tell_plaintext();
  void settle();
  void seal_text(std::string_view plaintext);
  void seal_next_piece();
  bool send_wire();
  [[nodiscard]] bool write_wire();

  Stream& stream_;
  std::unique_ptr<Seal> seal_;
  Buffer wire_;  // ciphertext; the first `sent_` bytes were sent
  std::size_t sent_ = 0;
  Buffer early_;             // written before the end of the handshake
  bool* is_gone_ = nullptr;  // set when the stream closes inside a callback
  bool is_secured_told_ = false;
};

/// Refused output, input that arrived while paused, and events to report at the end of the turn.
struct Stream::Rest final : public Deferred {
  class Counted;

  explicit Rest(Stream& stream);
  ~Rest();
  Rest(const Rest&) = delete;
  Rest& operator=(const Rest&) = delete;
  void run() override { owner.tell_held(); }

  void add(Chunk chunk);
  /// Appends to the last chunk if it is small and also consists of corked bytes.
  [[nodiscard]] bool try_append(std::string_view corked);
  /// Removes the first chunk, which was sent completely.
  void drop_first() noexcept;
  void drop_all() noexcept;
  [[nodiscard]] bool is_file_next() const noexcept { return chunks[first].file != nullptr; }
  /// Empty for a file.
  [[nodiscard]] std::string_view left(std::size_t ahead) const noexcept {
    return first + ahead < chunks.size() ? chunks[first + ahead].left() : std::string_view();
  }
  void consume(std::size_t taken) noexcept;
  [[nodiscard]] std::size_t waiting_bytes() const noexcept {
    return bytes + (sealing == nullptr ? 0 : sealing->left().size());
  }
  /// Reports the waiting output to the budget. rest: may be null
  static void count(Rest* rest);

  Stream& owner;
  std::vector<Chunk> chunks;  // those before `first` were sent
  std::size_t first = 0;
  std::size_t bytes = 0;
  std::size_t own_bytes = 0;         // memory of the chunks
  std::uint64_t given = 0;           // to the socket
  std::unique_ptr<Counted> counted;  // null if no budget counts it
  Buffer held;
  bool is_end_held = false;
  bool is_yielding = false;  // has sent its share of this turn, and may continue later
  NetError error = NetError::other;
  std::unique_ptr<Sealing> sealing;
};

/// The representation of a stream in its budget.
class Stream::Rest::Counted final : public detail::runtime::WaitingOutput {
 public:
  Counted(Stream& stream, detail::runtime::OutputBudget& its_budget) noexcept
      : WaitingOutput(its_budget), budget(its_budget), stream_(stream) {}

  detail::runtime::OutputBudget& budget;

 private:
  [[nodiscard]] detail::runtime::OutputFlow flow() const noexcept override;
  void give_up() noexcept override;

  Stream& stream_;
};

}  // namespace eider
