#include "eider/core/compress/decoder.h"
#include "eider/core/compress/idle_pool.h"
#include "eider/core/compress/per_thread.h"

namespace eider::detail::compress {

namespace {

/// Per thread. A buffered request body needs a decoder only for one call.
constexpr std::size_t kIdleDecodersMax = 4;

using DecoderPool = IdlePool<ContentCoding, Decoder, kIdleDecodersMax>;

std::unique_ptr<Decoder> make_decoder(ContentCoding coding, std::uint64_t bytes_max) {
  switch (coding) {
    case ContentCoding::gzip:
      return make_gzip_decoder();
    case ContentCoding::deflate:
      return make_zlib_decoder();
    case ContentCoding::brotli:
      return make_brotli_decoder(bytes_max);
    case ContentCoding::zstd:
      break;
  }
  return make_zstd_decoder();
}

}  // namespace

std::unique_ptr<Decoder> take_decoder(ContentCoding coding, std::uint64_t bytes_max) {
  DecoderPool* pool = of_this_thread<DecoderPool>();
  std::unique_ptr<Decoder> decoder = pool == nullptr ? nullptr : pool->take(coding);
  return decoder != nullptr ? std::move(decoder) : make_decoder(coding, bytes_max);
}

void give_back(ContentCoding coding, std::unique_ptr<Decoder> decoder) noexcept {
  DecoderPool* pool = of_this_thread<DecoderPool>();
  if (pool != nullptr && decoder->is_small() && decoder->restart()) {
    pool->put(coding, std::move(decoder));
  }
}

}  // namespace eider::detail::compress
