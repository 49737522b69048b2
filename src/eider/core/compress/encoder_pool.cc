#include "eider/core/base/assert.h"
#include "eider/core/compress/encoder.h"
#include "eider/core/compress/idle_pool.h"
#include "eider/core/compress/per_thread.h"

namespace eider::detail::compress {

namespace {

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

}  // namespace

std::unique_ptr<Encoder> take_encoder(const EncoderKey& key) {
  EncoderPool* pool = of_this_thread<EncoderPool>();
  std::unique_ptr<Encoder> encoder = pool == nullptr ? nullptr : pool->take(key);
  return encoder != nullptr ? std::move(encoder) : make_encoder(key);
}

void give_back(const EncoderKey& key, std::unique_ptr<Encoder> encoder) noexcept {
  EncoderPool* pool = of_this_thread<EncoderPool>();
  if (pool != nullptr && encoder->restart()) {
    pool->put(key, std::move(encoder));
  }
}

}  // namespace eider::detail::compress
