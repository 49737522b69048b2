#include "eider/core/compress/compressor.h"

#include <utility>

#include "eider/core/base/assert.h"
#include "eider/core/compress/encoder.h"

namespace eider {

int CompressionLevels::of(ContentCoding coding) const noexcept {
  switch (coding) {
    case ContentCoding::gzip:
    case ContentCoding::deflate:
      return gzip;
    case ContentCoding::brotli:
      return brotli;
    case ContentCoding::zstd:
      return zstd;
  }
  return gzip;
}

Compressor::Compressor(ContentCoding coding, CompressionLevels levels)
    : coding_(coding),
      level_(levels.of(coding)),
      encoder_(detail::compress::take_encoder({coding_, level_})) {}

Compressor::Compressor(Compressor&& other) noexcept
    : coding_(other.coding_), level_(other.level_), encoder_(std::move(other.encoder_)) {}

Compressor& Compressor::operator=(Compressor&& other) noexcept {
  std::swap(coding_, other.coding_);
  std::swap(level_, other.level_);
  std::swap(encoder_, other.encoder_);
  return *this;
}

Compressor::~Compressor() {
  if (encoder_ != nullptr) {
    detail::compress::give_back({coding_, level_}, std::move(encoder_));
  }
}

void Compressor::write(std::string_view in, Buffer& out) {
  ensure(encoder_ != nullptr, "nothing is written after the end of a stream");
  if (!in.empty()) {
    encoder_->write(in, detail::compress::Flush::none, out);
  }
}

void Compressor::flush(Buffer& out) {
  ensure(encoder_ != nullptr, "nothing is flushed after the end of a stream");
  encoder_->write({}, detail::compress::Flush::all, out);
}

void Compressor::finish(std::string_view last, Buffer& out) {
  ensure(encoder_ != nullptr, "a stream ends once");
  encoder_->write(last, detail::compress::Flush::finish, out);
  // Return it immediately, so that a finished Compressor that is kept uses no state.
  detail::compress::give_back({coding_, level_}, std::move(encoder_));
}

void compress(ContentCoding coding, std::string_view in, Buffer& out, CompressionLevels levels) {
  Compressor(coding, levels).finish(in, out);
}

}  // namespace eider
