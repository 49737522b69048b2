#include <brotli/encode.h>

#include <algorithm>
#include <new>

#include "eider/core/base/assert.h"
#include "eider/core/compress/encoder.h"

namespace eider::detail::compress {

namespace {

/// 128 KiB, as large as the data that is compressed at once. With 18 bits a stream uses 3.2 MiB
/// instead of 2.1 MiB, and JSON does not get smaller.
constexpr std::uint32_t kBrotliWindowBits = 17;
/// BrotliEncoder uses larger tables for sizes from 1 MiB on, but the size of a stream is unknown.
constexpr std::size_t kSizeHintMax = (1U << 20U) - 1;

BrotliEncoderOperation operation_of(Flush flush) noexcept {
  switch (flush) {
    case Flush::none:
      return BROTLI_OPERATION_PROCESS;
    case Flush::all:
      return BROTLI_OPERATION_FLUSH;
    case Flush::finish:
      return BROTLI_OPERATION_FINISH;
  }
  return BROTLI_OPERATION_PROCESS;
}

class BrotliEncoder final : public Encoder {
 public:
  explicit BrotliEncoder(int level)
      : state_(BrotliEncoderCreateInstance(nullptr, nullptr, nullptr)) {
    if (state_ == nullptr) {
      throw std::bad_alloc();
    }
    set(BROTLI_PARAM_QUALITY, static_cast<std::uint32_t>(level));
    set(BROTLI_PARAM_LGWIN, kBrotliWindowBits);
  }
  ~BrotliEncoder() override { BrotliEncoderDestroyInstance(state_); }

  void write(std::string_view in, Flush flush, Buffer& out) override {
    if (is_fresh_ && flush == Flush::finish) {
      set(BROTLI_PARAM_SIZE_HINT, static_cast<std::uint32_t>(std::min(in.size(), kSizeHintMax)));
    }
    is_fresh_ = false;
    run(in, operation_of(flush), out);
  }

  /// The library cannot reset an encoder.
  bool restart() noexcept override { return false; }

 private:
  void set(BrotliEncoderParameter parameter, std::uint32_t value) noexcept {
    ensure(BrotliEncoderSetParameter(state_, parameter, value) == BROTLI_TRUE,
           "brotli supports this level");
  }

  void run(std::string_view in, BrotliEncoderOperation operation, Buffer& out) {
    const auto* next_in = reinterpret_cast<const std::uint8_t*>(in.data());
    std::size_t bytes_in = in.size();
    do {
      std::size_t bytes_out = 0;  // output stays in the library
      if (BrotliEncoderCompressStream(state_, operation, &bytes_in, &next_in, &bytes_out, nullptr,
                                      nullptr) == BROTLI_FALSE) {
        throw std::bad_alloc();
      }
      take_output(out);
    } while (bytes_in > 0 || BrotliEncoderHasMoreOutput(state_) == BROTLI_TRUE);
  }

  void take_output(Buffer& out) {
    while (BrotliEncoderHasMoreOutput(state_) == BROTLI_TRUE) {
      std::size_t bytes = 0;  // no limit: all available output
      const std::uint8_t* output = BrotliEncoderTakeOutput(state_, &bytes);
      out.append({reinterpret_cast<const char*>(output), bytes});
    }
  }

  BrotliEncoderState* state_;
  bool is_fresh_ = true;
};

}  // namespace

std::unique_ptr<Encoder> make_brotli_encoder(int level) {
  return std::make_unique<BrotliEncoder>(level);
}

}  // namespace eider::detail::compress
