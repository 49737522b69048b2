#include <memory>

#include "eider/core/compress/decoder.h"
#include "eider/core/compress/zlib_stream.h"

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

/// DEFLATE in the gzip or zlib format. zlib always uses a window of 32 KiB.
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

/// "deflate": zlib's format, or raw DEFLATE, which some servers send and every browser accepts. The
/// low half of the first byte of zlib's format is its method, 8 (RFC 1950, section 2.2). Raw
/// DEFLATE has that value only if it starts with a stored block whose padding bits are not zero.
class DeflateDecoder final : public Decoder {
 public:
  DecodeStep run(std::string_view in, std::span<char> room) override {
    constexpr unsigned char kMethod = 8;
    if (is_first_ && !in.empty()) {
      is_first_ = false;
      is_raw_ = (static_cast<unsigned char>(in.front()) & 0x0FU) != kMethod;
      if (is_raw_ && raw_ == nullptr) {
        raw_ = std::make_unique<ZlibDecoder>(-kWindowBits);
      }
    }
    return is_raw_ ? raw_->run(in, room) : zlib_.run(in, room);
  }
  bool goes_on_with(char /*byte*/) const noexcept override { return false; }
  bool restart() noexcept override {
    is_first_ = true;
    is_raw_ = false;
    return zlib_.restart() && (raw_ == nullptr || raw_->restart());
  }

 private:
  ZlibDecoder zlib_{kWindowBits};
  std::unique_ptr<ZlibDecoder> raw_;
  bool is_first_ = true;
  bool is_raw_ = false;
};

}  // namespace

std::unique_ptr<Decoder> make_gzip_decoder() {
  return std::make_unique<GzipDecoder>();
}

std::unique_ptr<Decoder> make_zlib_decoder() {
  return std::make_unique<DeflateDecoder>();
}

}  // namespace eider::detail::compress
