// Compressed streams: for any input, the output does not exceed the limit, and cutting the input
// does not change the result. The output can be compressed, and is then the same again.
//
// libzstd detects an error in a malformed frame by the size of a buffer that earlier streams may
// have enlarged (1.5.4: a block above its maximum is rejected if it does not fit). So one of two
// readings of such a frame may fail.
#include <algorithm>
#include <cstdint>
#include <string_view>

#include "eider/core/base/assert.h"
#include "eider/core/compress/compressor.h"
#include "eider/core/compress/decompressor.h"

namespace {

using namespace eider;

constexpr DecompressionLimits kLimits{.bytes_max = 100'000, .ratio_max = 0};
constexpr DecompressionLimits kByRatio{.bytes_max = 100'000, .ratio_max = 10, .bytes_free = 20'000};

/// The first byte selects how the stream is read; the rest is the stream.
struct Input {
  ContentCoding coding;
  std::size_t piece_bytes;
  std::string_view stream;
};

Input input_of(std::string_view data) {
  const auto how = static_cast<unsigned char>(data.front());
  return {static_cast<ContentCoding>(how & 3U), std::size_t{1} + (how >> 2U), data.substr(1)};
}

bool is_failure(Decompressed status) {
  return status == Decompressed::corrupt || status == Decompressed::too_large ||
         status == Decompressed::trailing;
}

bool end_alike(ContentCoding coding, Decompressed one, Decompressed other) {
  const bool one_fails = is_failure(one);
  const bool other_fails = is_failure(other);
  return one == other || (one_fails && other_fails) ||
         (coding == ContentCoding::zstd && (one_fails || other_fails));
}

void check_the_ratio(const Input& input) {
  Buffer out;
  (void)Decompressor(input.coding, kByRatio).write(input.stream, out);
  ensure(out.size() <= std::max<std::size_t>(kByRatio.bytes_free,
                                             (input.stream.size() + 1) * kByRatio.ratio_max),
         "nothing grows more than is allowed");
}

Decompressed in_pieces(const Input& input, Buffer& out) {
  Decompressor decompressor(input.coding, kLimits);
  Decompressed status = Decompressed::need_more;
  std::string_view left = input.stream;
  while (!left.empty()) {
    const std::string_view piece = left.substr(0, input.piece_bytes);
    const auto step = decompressor.read(piece, out, 777);
    left.remove_prefix(step.consumed);
    status = step.status;
    if (is_failure(status)) {
      return status;
    }
  }
  while (status == Decompressed::need_room) {
    status = decompressor.read({}, out, 777).status;
  }
  return status;
}

void check_that_it_comes_back(ContentCoding coding, std::string_view text) {
  const bool is_written = coding != ContentCoding::deflate;
  const ContentCoding written = is_written ? coding : ContentCoding::gzip;
  Buffer packed;
  compress(written, text, packed);
  Buffer again;
  const bool is_read =
      decompress(written, packed.view(), again, {.bytes_max = text.size(), .ratio_max = 0})
          .has_value();
  ensure(is_read && again.view() == text, "what was compressed comes back");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) {
    return 0;
  }
  const Input input = input_of({reinterpret_cast<const char*>(data), size});
  Buffer whole;
  Decompressor decompressor(input.coding, kLimits);
  const Decompressed status = decompressor.write(input.stream, whole);
  ensure(whole.size() <= kLimits.bytes_max, "no more comes out than is allowed");
  ensure(status != Decompressed::need_room, "write leaves nothing behind");
  Buffer pieces;
  const Decompressed status_of_pieces = in_pieces(input, pieces);
  // A library may report an error before it returns the output from before the error.
  ensure(end_alike(input.coding, status, status_of_pieces), "pieces end as the whole does");
  ensure(status != Decompressed::done || status_of_pieces != Decompressed::done ||
             pieces.view() == whole.view(),
         "pieces make the whole");
  check_the_ratio(input);
  check_that_it_comes_back(input.coding, whole.view());
  return 0;
}
