// Undoes all codings of a response's content, one after the other.
// Layering: must not know fields, nor judge which codings are known.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>

#include "eider/core/base/buffer.h"
#include "eider/core/compress/decompressor.h"

namespace eider::detail::client {

/// As a Decompressor, for several codings. The limits apply to what each coding makes.
class ContentDecoder {
 public:
  /// applied  in the order in which they were applied, which is that of Content-Encoding.
  ///          Pre: not empty
  ContentDecoder(std::span<const ContentCoding> applied, const DecompressionLimits& limits);

  /// As Decompressor::read.
  [[nodiscard]] Decompressor::Step read(std::string_view in, Buffer& out, std::size_t room_max);

 private:
  /// Has the next decoder read what this one has made.
  ///
  /// returns  the status with which reading ends here, need_more if there is nothing to read
  [[nodiscard]] Decompressed read_made(Buffer& out, std::size_t room_max);

  Decompressor outer_;
  std::unique_ptr<ContentDecoder> next_;  // null for the coding that was applied first
  Buffer made_;
  std::size_t made_read_ = 0;
  Decompressed outer_status_ = Decompressed::need_more;
  Decompressed next_status_ = Decompressed::need_more;
};

}  // namespace eider::detail::client
