#include "eider/compress/decoder.h"
#include "eider/compress/zlib_stream.h"

namespace eider::detail::compress {

namespace {

/// ID1 of a gzip member (RFC 1952, section 2.3.1).
constexpr char kGzipFirstByte = '\x1f';

DecodeStep to_step(const ZlibInflate::Step& step) noexcept {
  switch (step.status) {
    case ZlibInflate::Status::more:
      return {DecodeStatus::more, step.consumed, step.made};
    case ZlibInflate::Status::end:
      return {DecodeStatus::end, step.consumed, step.made};
    case ZlibInflate::Status::corrupt:
      break;
  }
  return {DecodeStatus::corrupt, step.consumed, step.made};
}

/// Either wrapping of DEFLATE. zlib keeps a window of 32 KiB, whatever the input says.
class ZlibDecoder : public Decoder {
 public:
  explicit ZlibDecoder(int window_bits) : stream_(window_bits) {}

  DecodeStep run(std::string_view in, std::span<char> room) override {
    return to_step(stream_.run(in, room));
  }
  bool goes_on_with(char /*byte*/) const noexcept override { return false; }
  bool restart() noexcept override {
    stream_.reset();
    return true;
  }

 private:
  ZlibInflate stream_;
};

class GzipDecoder final : public ZlibDecoder {
 public:
  GzipDecoder() : ZlibDecoder(kWindowBits + kGzipWrapping) {}
  bool goes_on_with(char byte) const noexcept override { return byte == kGzipFirstByte; }
};

}  // namespace

std::unique_ptr<Decoder> make_gzip_decoder() {
  return std::make_unique<GzipDecoder>();
}

std::unique_ptr<Decoder> make_zlib_decoder() {
  return std::make_unique<ZlibDecoder>(kWindowBits);
}

}  // namespace eider::detail::compress
