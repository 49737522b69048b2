#include <zstd.h>
#include <zstd_errors.h>

#include <new>
#include <string_view>

#include "eider/core/base/assert.h"
#include "eider/core/compress/decoder.h"

namespace eider::detail::compress {

namespace {

/// 8 MiB: each decoder must support it, and content codings must not exceed it (RFC 9659, section
/// 3).
constexpr int kWindowBitsMax = 23;
/// A larger state is not kept for later streams.
constexpr std::size_t kKeptBytesMax = 512UL * 1024;

/// The magic number of a frame (RFC 8878, section 3.1.1).
constexpr std::string_view kFrameMagic = "\x28\xB5\x2F\xFD";
/// A skippable frame: the low half of its first byte may have any value (section 3.1.2).
constexpr std::string_view kSkippableMagic = "\x50\x2A\x4D\x18";

constexpr bool is_skippable_first(char byte) noexcept {
  return (static_cast<unsigned char>(byte) & 0xF0U) == 0x50U;
}

/// Checks the magic number here, because the library may be built to read formats of its own
/// drafts, with decoders that are rarely tested.
class MagicCheck {
 public:
  [[nodiscard]] bool is_at_begin() const noexcept { return count_ == 0; }
  /// Checks the next bytes of a frame. Returns false if it is not a frame.
  [[nodiscard]] bool accepts(std::string_view in) noexcept {
    for (; count_ < kFrameMagic.size() && !in.empty(); in.remove_prefix(1)) {
      if (count_ == 0) {
        is_skippable_ = is_skippable_first(in.front());
      }
      if (!is_next(in.front())) {
        return false;
      }
      ++count_;
    }
    return true;
  }

 private:
  [[nodiscard]] bool is_next(char byte) const noexcept {
    return is_skippable_ ? count_ == 0 || byte == kSkippableMagic[count_]
                         : byte == kFrameMagic[count_];
  }

  std::size_t count_ = 0;
  bool is_skippable_ = false;
};

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
    ensure(ZSTD_isError(error) == 0, "zstd can limit its window");
  }
  ~ZstdDecoder() override { ZSTD_freeDCtx(context_); }

  /// Passes the first byte of a frame alone: if a whole frame is in the input, the library uses
  /// another code path, which treats malformed frames differently.
  DecodeStep run(std::string_view in, std::span<char> room) override {
    const bool begins = magic_.is_at_begin();
    if (!magic_.accepts(in)) {
      return {DecodeStatus::corrupt, 0, 0};
    }
    const DecodeStep first = step(in.substr(0, begins ? 1 : in.size()), room);
    if (!begins || first.status != DecodeStatus::more || first.consumed == in.size()) {
      return first;
    }
    DecodeStep rest = step(in.substr(first.consumed), room);
    rest.consumed += first.consumed;
    return rest;
  }
  bool goes_on_with(char byte) const noexcept override {
    return byte == kFrameMagic.front() || is_skippable_first(byte);
  }
  bool restart() noexcept override {
    ZSTD_DCtx_reset(context_, ZSTD_reset_session_only);
    magic_ = {};
    return true;
  }
  bool is_small() const noexcept override { return ZSTD_sizeof_DCtx(context_) <= kKeptBytesMax; }

 private:
  DecodeStep step(std::string_view in, std::span<char> room) {
    ZSTD_inBuffer input{in.data(), in.size(), 0};
    ZSTD_outBuffer output{room.data(), room.size(), 0};
    const std::size_t left = ZSTD_decompressStream(context_, &output, &input);
    if (ZSTD_isError(left) != 0) {
      return {status_of_error(left), input.pos, output.pos};
    }
    return {left == 0 ? DecodeStatus::end : DecodeStatus::more, input.pos, output.pos};
  }

  ZSTD_DCtx* context_;
  MagicCheck magic_;
};

}  // namespace

std::unique_ptr<Decoder> make_zstd_decoder() {
  return std::make_unique<ZstdDecoder>();
}

}  // namespace eider::detail::compress
