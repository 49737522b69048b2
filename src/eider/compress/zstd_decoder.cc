#include <zstd.h>
#include <zstd_errors.h>

#include <new>

#include "eider/base/assert.h"
#include "eider/compress/detail/decoder.h"

namespace eider::detail {

namespace {

/// 8 MiB: what every decoder must support and no content coding may exceed (RFC 9659, section 3).
constexpr int kWindowBitsMax = 23;
/// A state that has grown beyond is not kept for later streams.
constexpr std::size_t kKeptBytesMax = 512UL * 1024;

/// The first byte of a frame's magic number, 0xFD2FB528 (RFC 8878, section 3.1.1).
constexpr unsigned char kFrameFirstByte = 0x28;
/// The high half of the first byte of a skippable frame's (RFC 8878, section 3.1.2).
constexpr unsigned char kSkippableHalf = 0x50;

DecodeStatus status_of_error(std::size_t error) {
  switch (ZSTD_getErrorCode(error)) {
    case ZSTD_error_memory_allocation:
      throw std::bad_alloc();
    case ZSTD_error_frameParameter_windowTooLarge:
      return DecodeStatus::too_large;
    default:
      return DecodeStatus::corrupt;
  }
}

class ZstdDecoder final : public Decoder {
 public:
  ZstdDecoder() : context_(ZSTD_createDCtx()) {
    if (context_ == nullptr) {
      throw std::bad_alloc();
    }
    const std::size_t error = ZSTD_DCtx_setParameter(context_, ZSTD_d_windowLogMax, kWindowBitsMax);
    ensure(ZSTD_isError(error) == 0, "zstd can bound its window");
  }
  ~ZstdDecoder() override { ZSTD_freeDCtx(context_); }

  DecodeStep run(std::string_view in, std::span<char> room) override {
    ZSTD_inBuffer input{in.data(), in.size(), 0};
    ZSTD_outBuffer output{room.data(), room.size(), 0};
    const std::size_t left = ZSTD_decompressStream(context_, &output, &input);
    if (ZSTD_isError(left) != 0) {
      return {status_of_error(left), input.pos, output.pos};
    }
    return {left == 0 ? DecodeStatus::end : DecodeStatus::more, input.pos, output.pos};
  }
  bool goes_on_with(char byte) const noexcept override {
    const auto value = static_cast<unsigned char>(byte);
    return value == kFrameFirstByte || (value & 0xF0U) == kSkippableHalf;
  }
  bool restart() noexcept override {
    ZSTD_DCtx_reset(context_, ZSTD_reset_session_only);
    return true;
  }
  bool is_small() const noexcept override { return ZSTD_sizeof_DCtx(context_) <= kKeptBytesMax; }

 private:
  ZSTD_DCtx* context_;
};

}  // namespace

std::unique_ptr<Decoder> make_zstd_decoder() {
  return std::make_unique<ZstdDecoder>();
}

}  // namespace eider::detail
