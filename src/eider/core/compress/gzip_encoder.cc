#include "eider/core/compress/encoder.h"
#include "eider/core/compress/zlib_stream.h"

namespace eider::detail::compress {

namespace {

constexpr int kMemoryLevel = 8;

class GzipEncoder final : public Encoder {
 public:
  explicit GzipEncoder(int level)
      : stream_({.level = level,
                 .window_bits = kWindowBits + kGzipWrapping,
                 .memory_level = kMemoryLevel}) {}

  void write(std::string_view in, Flush flush, Buffer& out) override {
    switch (flush) {
      case Flush::none:
        return stream_.run(in, Z_NO_FLUSH, out);
      case Flush::all:
        return stream_.run(in, Z_SYNC_FLUSH, out);
      case Flush::finish:
        return stream_.run(in, Z_FINISH, out);
    }
  }

  bool restart() noexcept override {
    stream_.reset();
    return true;
  }

 private:
  ZlibDeflate stream_;
};

}  // namespace

std::unique_ptr<Encoder> make_gzip_encoder(int level) {
  return std::make_unique<GzipEncoder>(level);
}

}  // namespace eider::detail::compress
