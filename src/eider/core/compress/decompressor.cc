#include "eider/core/compress/decompressor.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "eider/core/base/assert.h"
#include "eider/core/compress/decoder.h"
#include "eider/core/compress/idle_pool.h"

namespace eider {

namespace detail::compress {
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

/// Returns an idle decoder of this thread, or a new one.
std::unique_ptr<Decoder> take_decoder(ContentCoding coding, std::uint64_t bytes_max) {
  DecoderPool* pool = of_this_thread<DecoderPool>();
  std::unique_ptr<Decoder> decoder = pool == nullptr ? nullptr : pool->take(coding);
  return decoder != nullptr ? std::move(decoder) : make_decoder(coding, bytes_max);
}

/// Keeps the decoder for this thread's next stream if it can be reused.
void give_back(ContentCoding coding, std::unique_ptr<Decoder> decoder) noexcept {
  DecoderPool* pool = of_this_thread<DecoderPool>();
  if (pool != nullptr && decoder->is_small() && decoder->restart()) {
    pool->put(coding, std::move(decoder));
  }
}

}  // namespace
}  // namespace detail::compress

namespace {

/// Memory grows in steps of this size, so that announced sizes alone allocate nothing.
constexpr std::size_t kPieceBytes = 16UL * 1024;

constexpr bool is_final(Decompressed status) noexcept {
  return status == Decompressed::corrupt || status == Decompressed::too_large ||
         status == Decompressed::trailing;
}

/// Limits `bytes_max`, so that one more byte can be counted without overflow.
DecompressionLimits bounded(DecompressionLimits limits) noexcept {
  constexpr std::uint64_t kBytesMax = std::numeric_limits<std::int64_t>::max();
  limits.bytes_max = std::min(limits.bytes_max, kBytesMax);
  return limits;
}

}  // namespace

std::string_view to_text(Decompressed outcome) noexcept {
  switch (outcome) {
    case Decompressed::need_more:
      return "The compressed body is truncated.";
    case Decompressed::need_room:
    case Decompressed::done:
      return "The compressed body is valid.";
    case Decompressed::corrupt:
      return "The compressed body is corrupt.";
    case Decompressed::too_large:
      return "The decompressed body is too large.";
    case Decompressed::trailing:
      return "There is data after the end of the compressed body.";
  }
  return {};
}

Decompressor::Decompressor(ContentCoding coding, DecompressionLimits limits)
    : coding_(coding),
      limits_(bounded(limits)),
      decoder_(detail::compress::take_decoder(coding, limits.bytes_max)) {}

Decompressor::Decompressor(Decompressor&& other) noexcept = default;

Decompressor& Decompressor::operator=(Decompressor&& other) noexcept {
  Decompressor taken(std::move(other));
  std::swap(coding_, taken.coding_);
  std::swap(limits_, taken.limits_);
  std::swap(decoder_, taken.decoder_);
  std::swap(bytes_taken_, taken.bytes_taken_);
  std::swap(bytes_made_, taken.bytes_made_);
  std::swap(status_, taken.status_);
  return *this;
}

Decompressor::~Decompressor() {
  if (decoder_ != nullptr) {
    detail::compress::give_back(coding_, std::move(decoder_));
  }
}

bool Decompressor::begins_again(char byte) noexcept {
  return decoder_->goes_on_with(byte) && decoder_->restart();
}

bool Decompressor::is_too_large() const noexcept {
  const bool is_bounded = bytes_made_ > limits_.bytes_free && limits_.ratio_max != 0;
  return bytes_made_ > limits_.bytes_max ||
         (is_bounded && bytes_made_ / limits_.ratio_max > bytes_taken_);
}

Decompressed Decompressor::status_after(const detail::compress::DecodeStep& step,
                                        std::size_t in_bytes, std::size_t room) const noexcept {
  if (is_too_large()) {
    return Decompressed::too_large;
  }
  switch (step.status) {
    case detail::compress::DecodeStatus::corrupt:
      return Decompressed::corrupt;
    case detail::compress::DecodeStatus::too_large:
      return Decompressed::too_large;
    case detail::compress::DecodeStatus::end:
      return Decompressed::done;
    case detail::compress::DecodeStatus::more:
      break;
  }
  if (step.consumed == in_bytes && step.made < room) {
    return Decompressed::need_more;
  }
  const bool stands_still = step.consumed == 0 && step.made == 0;
  return stands_still ? Decompressed::corrupt : Decompressed::need_room;
}

detail::compress::DecodeStep Decompressor::advance(std::string_view in, Buffer& out,
                                                   std::size_t room_left) {
  // One byte more than the limit, which is never returned, distinguishes "exactly full" from "too
  // much".
  const std::uint64_t allowed = limits_.bytes_max - bytes_made_ + 1;
  const std::size_t room = std::min({kPieceBytes, room_left, static_cast<std::size_t>(allowed)});
  const detail::compress::DecodeStep step = decoder_->run(in, {out.reserve(room), room});
  bytes_taken_ += step.consumed;
  bytes_made_ += step.made;
  status_ = status_after(step, in.size(), room);
  if (status_ != Decompressed::too_large) {
    out.commit(step.made);
  }
  return step;
}

Decompressor::Step Decompressor::read(std::string_view in, Buffer& out, std::size_t room_max) {
  if (is_final(status_) || (in.empty() && status_ != Decompressed::need_room)) {
    return {status_, 0};
  }
  ensure(room_max > 0, "there is room for the output");
  std::size_t consumed = 0;
  std::size_t room_left = room_max;
  while (room_left > 0) {
    if (status_ == Decompressed::done && !begins_again(in[consumed])) {
      status_ = Decompressed::trailing;
      break;
    }
    const detail::compress::DecodeStep step = advance(in.substr(consumed), out, room_left);
    consumed += step.consumed;
    room_left -= step.made;
    const bool has_ended = status_ == Decompressed::done && consumed == in.size();
    if (has_ended || status_ == Decompressed::need_more || is_final(status_)) {
      break;
    }
  }
  const bool is_full = status_ == Decompressed::done && consumed < in.size();
  return {is_full ? Decompressed::need_room : status_, consumed};
}

Decompressed Decompressor::write(std::string_view in, Buffer& out) {
  return read(in, out, static_cast<std::size_t>(-1)).status;
}

Result<void, Decompressed> decompress(ContentCoding coding, std::string_view in, Buffer& out,
                                      DecompressionLimits limits) {
  const std::size_t size_before = out.size();
  const Decompressed outcome = Decompressor(coding, limits).write(in, out);
  if (outcome == Decompressed::done) {
    return {};
  }
  out.truncate(size_before);
  return fail(outcome == Decompressed::need_more ? Decompressed::corrupt : outcome);
}

}  // namespace eider
