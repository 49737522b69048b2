#include <zstd.h>

#include <algorithm>
#include <new>

#include "eider/core/base/assert.h"
#include "eider/core/compress/encoder.h"

namespace eider::detail::compress {

namespace {

/// 256 KiB: the memory of a stream is a multiple of its window, and clients need to support at most
/// 8 MiB (RFC 9659).
constexpr int kZstdWindowBits = 18;
/// A larger state is not kept for later streams.
constexpr std::size_t kKeptContextBytesMax = 2UL * 1024 * 1024;
constexpr std::size_t kZstdRoomMin = 512;
constexpr std::size_t kZstdRoomMax = 64UL * 1024;

ZSTD_EndDirective directive_of(Flush flush) noexcept {
  switch (flush) {
    case Flush::none:
      return ZSTD_e_continue;
    case Flush::all:
      return ZSTD_e_flush;
    case Flush::finish:
      return ZSTD_e_end;
  }
  return ZSTD_e_continue;
}

class ZstdEncoder final : public Encoder {
 public:
  explicit ZstdEncoder(int level) : context_(ZSTD_createCCtx()) {
    if (context_ == nullptr) {
      throw std::bad_alloc();
    }
    set(ZSTD_c_compressionLevel, level);
    set(ZSTD_c_windowLog, kZstdWindowBits);
  }
  ~ZstdEncoder() override { ZSTD_freeCCtx(context_); }

  void write(std::string_view in, Flush flush, Buffer& out) override {
    const ZSTD_EndDirective directive = directive_of(flush);
    ZSTD_inBuffer input{in.data(), in.size(), 0};
    std::size_t left = 0;
    do {
      left = step(input, directive, out);
    } while (input.pos < input.size || (directive != ZSTD_e_continue && left != 0));
  }

  bool restart() noexcept override {
    ZSTD_CCtx_reset(context_, ZSTD_reset_session_only);
    return ZSTD_sizeof_CCtx(context_) <= kKeptContextBytesMax;
  }

 private:
  void set(ZSTD_cParameter parameter, int value) noexcept {
    ensure(ZSTD_isError(ZSTD_CCtx_setParameter(context_, parameter, value)) == 0,
           "zstd supports this level");
  }

  /// Returns the number of bytes that are still in the library.
  std::size_t step(ZSTD_inBuffer& input, ZSTD_EndDirective directive, Buffer& out) {
    const std::size_t room = std::clamp((input.size - input.pos) / 2, kZstdRoomMin, kZstdRoomMax);
    ZSTD_outBuffer output{out.reserve(room), room, 0};
    const std::size_t left = ZSTD_compressStream2(context_, &output, &input, directive);
    if (ZSTD_isError(left) != 0) {
      throw std::bad_alloc();  // the only possible error, because the parameters are valid
    }
    out.commit(output.pos);
    return left;
  }

  ZSTD_CCtx* context_;
};

}  // namespace

std::unique_ptr<Encoder> make_zstd_encoder(int level) {
  return std::make_unique<ZstdEncoder>(level);
}

}  // namespace eider::detail::compress
