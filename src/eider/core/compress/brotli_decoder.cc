#include <brotli/decode.h>

#include <algorithm>
#include <cstdlib>
#include <new>

#include "eider/core/compress/decoder.h"

namespace eider::detail::compress {

namespace {

/// The upper limit of the prefix code tables that a stream can request (RFC 7932, section 9.2: 256
/// trees of each kind).
constexpr std::size_t kTableBytesMax = 2UL * 1024 * 1024;
/// The largest window is 16 MiB (RFC 7932, section 9.1). The library allocates at most twice that.
constexpr std::size_t kWindowBytesMax = 32UL * 1024 * 1024;
/// The extra size that the library adds to a window.
constexpr std::size_t kWindowSlackBytes = 4096;

/// A stream declares its window and the length of each meta-block in its first bytes. The library
/// trusts them and allocates at most twice the output so far plus the announced output. So a
/// request for more than twice the limit means that the output would exceed the limit.
struct Memory {
  std::size_t block_bytes_max;
  bool was_refused = false;
};

void* allocate(void* opaque, std::size_t bytes) {
  auto* memory = static_cast<Memory*>(opaque);
  if (bytes > memory->block_bytes_max) {
    memory->was_refused = true;
    return nullptr;
  }
  return std::malloc(bytes);
}

void release(void* /*opaque*/, void* block) {
  std::free(block);
}

std::size_t block_bytes_max_for(std::uint64_t bytes_max) noexcept {
  const std::uint64_t window = std::min<std::uint64_t>(bytes_max, kWindowBytesMax / 2) * 2;
  return std::max(kTableBytesMax, static_cast<std::size_t>(window) + kWindowSlackBytes);
}

class BrotliDecoder final : public Decoder {
 public:
  explicit BrotliDecoder(std::uint64_t bytes_max)
      : memory_{block_bytes_max_for(bytes_max)},
        state_(BrotliDecoderCreateInstance(allocate, release, &memory_)) {
    if (state_ == nullptr) {
      throw std::bad_alloc();
    }
  }
  ~BrotliDecoder() override { BrotliDecoderDestroyInstance(state_); }

  DecodeStep run(std::string_view in, std::span<char> room) override {
    const auto* next_in = reinterpret_cast<const std::uint8_t*>(in.data());
    auto* next_out = reinterpret_cast<std::uint8_t*>(room.data());
    std::size_t bytes_in = in.size();
    std::size_t bytes_out = room.size();
    const BrotliDecoderResult result =
        BrotliDecoderDecompressStream(state_, &bytes_in, &next_in, &bytes_out, &next_out, nullptr);
    return {status_of(result), in.size() - bytes_in, room.size() - bytes_out};
  }
  bool goes_on_with(char /*byte*/) const noexcept override { return false; }
  /// The library cannot reset a decoder.
  bool restart() noexcept override { return false; }

 private:
  [[nodiscard]] DecodeStatus status_of(BrotliDecoderResult result) const {
    switch (result) {
      case BROTLI_DECODER_RESULT_SUCCESS:
        return DecodeStatus::end;
      case BROTLI_DECODER_RESULT_NEEDS_MORE_INPUT:
      case BROTLI_DECODER_RESULT_NEEDS_MORE_OUTPUT:
        return DecodeStatus::more;
      case BROTLI_DECODER_RESULT_ERROR:
        break;
    }
    return memory_.was_refused ? DecodeStatus::too_large : status_of_error();
  }

  [[nodiscard]] DecodeStatus status_of_error() const {
    const BrotliDecoderErrorCode code = BrotliDecoderGetErrorCode(state_);
    const bool is_out_of_memory = code <= BROTLI_DECODER_ERROR_ALLOC_CONTEXT_MODES &&
                                  code >= BROTLI_DECODER_ERROR_ALLOC_BLOCK_TYPE_TREES;
    if (is_out_of_memory) {
      throw std::bad_alloc();
    }
    return DecodeStatus::corrupt;
  }

  Memory memory_;
  BrotliDecoderState* state_;
};

}  // namespace

std::unique_ptr<Decoder> make_brotli_decoder(std::uint64_t bytes_max) {
  return std::make_unique<BrotliDecoder>(bytes_max);
}

}  // namespace eider::detail::compress
