// What only few streams need beside their descriptor: output that waits, input that was held back.
// Must not be used outside of stream.cc and stream_sealed.cc.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "eider/base/buffer.h"
#include "eider/runtime/deferred.h"
#include "eider/runtime/seal.h"
#include "eider/runtime/stream.h"

namespace eider {

/// Of a file in one turn, so that a fast reader of a large one does not keep all others waiting.
inline constexpr std::uint64_t kFileBytesPerTurn = 2UL * 1024 * 1024;
/// With a smaller file a connection is not worth handing over to the kernel.
inline constexpr std::uint64_t kKernelFileBytesMin = 64UL * 1024;

/// The encryption of one stream. Chunks that wait are plaintext, `wire` is what comes before them.
struct Stream::Sealing {
  explicit Sealing(std::unique_ptr<Seal> its_seal) noexcept : seal(std::move(its_seal)) {}
  [[nodiscard]] std::string_view left() const noexcept { return wire.view().substr(sent); }

  std::unique_ptr<Seal> seal;
  Buffer wire;  // ciphertext that has not left; the first `sent` bytes of it have
  std::size_t sent = 0;
  Buffer early;                 // written before the handshake's end
  KernelTls* kernel = nullptr;  // it encrypts, and `wire` holds alerts in the clear
  bool* is_gone = nullptr;      // set when the stream closes inside a callback
  bool is_secured_told = false;
  bool is_end_put_off = false;  // until the handshake is done
};

/// Output that the socket refused, input that came while paused, and news for the end of the turn.
struct Stream::Rest final : public Deferred {
  /// Bytes in one of three shapes, so that none is copied into another.
  struct Chunk {
    Buffer corked;
    std::string owned;
    std::size_t sent = 0;
    std::shared_ptr<const Descriptor> file;  // then `slice` is what is left
    FileSlice slice;

    [[nodiscard]] std::string_view left() const noexcept {
      return (owned.empty() ? corked.view() : std::string_view(owned)).substr(sent);
    }
  };

  explicit Rest(Stream& stream) noexcept : owner(stream) {}
  void run() override { owner.tell_held(); }

  void add(Chunk chunk) {
    bytes += chunk.left().size();
    chunks.push_back(std::move(chunk));
  }
  [[nodiscard]] bool is_file_next() const noexcept { return chunks[first].file != nullptr; }
  /// None of a file's.
  [[nodiscard]] std::string_view left(std::size_t ahead) const noexcept {
    return first + ahead < chunks.size() ? chunks[first + ahead].left() : std::string_view();
  }
  void consume(std::size_t taken) noexcept;
  [[nodiscard]] std::size_t waiting_bytes() const noexcept {
    return bytes + (sealing == nullptr ? 0 : sealing->left().size());
  }

  Stream& owner;
  std::vector<Chunk> chunks;  // those before `first` have left
  std::size_t first = 0;
  std::size_t bytes = 0;
  Buffer held;
  bool is_end_held = false;
  bool is_yielding = false;  // has sent its share of this turn, and may go on
  NetError error = NetError::other;
  std::unique_ptr<Sealing> sealing;
};

}  // namespace eider
