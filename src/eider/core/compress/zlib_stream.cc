#include "eider/core/compress/zlib_stream.h"

#include <algorithm>
#include <limits>
#include <new>

#include "eider/core/base/assert.h"

namespace eider::detail::compress {

namespace {

/// More than the six free bytes that zlib needs to complete a flush; with less, it repeats the
/// flush marker.
constexpr std::size_t kRoomMin = 512;
constexpr std::size_t kRoomMax = 64UL * 1024;
/// zlib uses 32-bit sizes.
constexpr std::size_t kPieceMax = std::numeric_limits<uInt>::max() / 4;

/// zlib does not write to its input, but the pointer is not const unless a macro is set.
Bytef* as_input(std::string_view in) noexcept {
  return reinterpret_cast<Bytef*>(const_cast<char*>(in.data()));
}

std::size_t room_for(std::size_t input_bytes) noexcept {
  return std::clamp(input_bytes / 2, kRoomMin, kRoomMax);
}

}  // namespace

ZlibDeflate::ZlibDeflate(const Settings& settings) {
  const int made = deflateInit2(&stream_, settings.level, Z_DEFLATED, settings.window_bits,
                                settings.memory_level, Z_DEFAULT_STRATEGY);
  ensure(made != Z_STREAM_ERROR, "zlib supports this level, window and memory level");
  if (made != Z_OK) {
    throw std::bad_alloc();
  }
}

ZlibDeflate::~ZlibDeflate() {
  deflateEnd(&stream_);
}

void ZlibDeflate::run(std::string_view in, int flush, Buffer& out) {
  while (in.size() > kPieceMax) {
    run_piece(in.substr(0, kPieceMax), Z_NO_FLUSH, out);
    in.remove_prefix(kPieceMax);
  }
  run_piece(in, flush, out);
}

void ZlibDeflate::run_piece(std::string_view piece, int flush, Buffer& out) {
  stream_.next_in = as_input(piece);
  stream_.avail_in = static_cast<uInt>(piece.size());
  do {
    const std::size_t room = room_for(stream_.avail_in);
    stream_.next_out = reinterpret_cast<Bytef*>(out.reserve(room));
    stream_.avail_out = static_cast<uInt>(room);
    const int status = deflate(&stream_, flush);
    ensure(status != Z_STREAM_ERROR, "a deflate stream is either compressed or decompressed");
    out.commit(room - stream_.avail_out);
  } while (stream_.avail_out == 0);
}

void ZlibDeflate::reset() noexcept {
  deflateReset(&stream_);
}

ZlibInflate::ZlibInflate(int window_bits) {
  const int made = inflateInit2(&stream_, window_bits);
  ensure(made != Z_STREAM_ERROR, "zlib supports this window");
  if (made != Z_OK) {
    throw std::bad_alloc();
  }
}

ZlibInflate::~ZlibInflate() {
  inflateEnd(&stream_);
}

ZlibInflate::Step ZlibInflate::run(std::string_view in, std::span<char> room) {
  const auto in_bytes = static_cast<uInt>(std::min(in.size(), kPieceMax));
  const auto room_bytes = static_cast<uInt>(std::min(room.size(), kPieceMax));
  stream_.next_in = as_input(in);
  stream_.avail_in = in_bytes;
  stream_.next_out = reinterpret_cast<Bytef*>(room.data());
  stream_.avail_out = room_bytes;
  const int status = inflate(&stream_, Z_NO_FLUSH);
  if (status == Z_MEM_ERROR) {
    throw std::bad_alloc();
  }
  const Step step{Status::more, in_bytes - stream_.avail_in, room_bytes - stream_.avail_out};
  if (status == Z_STREAM_END) {
    return {Status::end, step.consumed, step.made};
  }
  // Z_BUF_ERROR means that there was no more input or room, which is not an error here.
  const bool goes_on = status == Z_OK || status == Z_BUF_ERROR;
  return {goes_on ? Status::more : Status::corrupt, step.consumed, step.made};
}

void ZlibInflate::reset() noexcept {
  inflateReset(&stream_);
}

void ZlibInflate::reset_keeping_window() noexcept {
  inflateResetKeep(&stream_);
}

bool ZlibInflate::is_between_blocks() const noexcept {
  // zlib.h, inflate: data_type has 128 added between blocks; the low six bits count unused bits.
  constexpr int kBetweenBlocks = 128;
  constexpr int kUnusedBits = 63;
  return (stream_.data_type & kBetweenBlocks) != 0 && (stream_.data_type & kUnusedBits) == 0;
}

}  // namespace eider::detail::compress
