#include "eider/core/compress/compressor.h"

#include <utility>

#include "eider/core/base/assert.h"
#include "eider/core/compress/encoder.h"
#include "eider/core/compress/idle_pool.h"

namespace eider {

namespace detail::compress {
namespace {

struct EncoderKey {
  ContentCoding coding = ContentCoding::gzip;
  int level = 0;
  bool operator==(const EncoderKey&) const = default;
};

/// Per thread. Most threads compress one stream at a time, with one or two codings. Encoders of
/// more concurrent streams are created and destroyed.
constexpr std::size_t kIdleEncodersMax = 4;

using EncoderPool = IdlePool<EncoderKey, Encoder, kIdleEncodersMax>;

std::unique_ptr<Encoder> make_encoder(const EncoderKey& key) {
  switch (key.coding) {
    case ContentCoding::gzip:
      return make_gzip_encoder(key.level);
    case ContentCoding::brotli:
      return make_brotli_encoder(key.level);
    case ContentCoding::zstd:
      return make_zstd_encoder(key.level);
    case ContentCoding::deflate:
      break;
  }
  ensure(false, "deflate is only decompressed, never compressed");
  return nullptr;
}

/// Returns an idle encoder of this thread, or a new one. Pre: the coding can be written.
std::unique_ptr<Encoder> take_encoder(const EncoderKey& key) {
  EncoderPool* pool = of_this_thread<EncoderPool>();
  std::unique_ptr<Encoder> encoder = pool == nullptr ? nullptr : pool->take(key);
  return encoder != nullptr ? std::move(encoder) : make_encoder(key);
}

/// Keeps the encoder for this thread's next stream if it can be reused.
void give_back(const EncoderKey& key, std::unique_ptr<Encoder> encoder) noexcept {
  EncoderPool* pool = of_this_thread<EncoderPool>();
  if (pool != nullptr && encoder->restart()) {
    pool->put(key, std::move(encoder));
  }
}

}  // namespace
}  // namespace detail::compress

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
