// Decodes one request's content as it arrives, sized or chunked, up to a bound.
// Must not read beyond the content's end: what follows is the next request.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "eider/base/buffer.h"
#include "eider/http/h1/chunked.h"
#include "eider/http/h1/refusal.h"
#include "eider/http/head.h"

namespace eider::detail {

enum class BodyStatus : std::uint8_t { need_more, complete, refused };

/// consumed  bytes to drop from the front of the input
struct BodyStep {
  BodyStatus status;
  std::size_t consumed;
};

class BodyH1 {
 public:
  /// Pre: head.body is not `none`, and a sized body is within `bytes_max`.
  void begin(const RequestHead& head, std::size_t bytes_max);

  /// Reads on.
  ///
  /// in       the bytes behind those consumed so far, any length
  /// returns  need_more  all of `in` is consumed
  ///          complete   view() is the whole content
  ///          refused    refusal() says why: wrong chunks, or more than `bytes_max`
  [[nodiscard]] BodyStep read(std::string_view in);

  /// Takes content that another framing has been taken off already.
  ///
  /// returns  need_more, or refused when it is more than `bytes_max`
  [[nodiscard]] BodyStatus gather(std::string_view content);

  [[nodiscard]] h1::Refusal refusal() const noexcept { return refusal_; }
  /// The content so far, but for what was taken.
  [[nodiscard]] std::string_view view() const noexcept { return content_.view(); }
  /// How much there was, with what was taken.
  [[nodiscard]] std::uint64_t bytes() const noexcept { return bytes_; }
  /// Moves what there is into `into`, whose own memory is used for what comes next.
  void take(Buffer& into) noexcept {
    into.clear();
    into.swap(content_);
  }

  /// As new; a small buffer is kept for the next content.
  void reset() noexcept;

 private:
  BodyStep read_sized(std::string_view in);
  BodyStep read_chunked(std::string_view in);
  BodyStep refuse(h1::Refusal refusal) noexcept;
  void add(std::string_view bytes) {
    content_.append(bytes);
    bytes_ += bytes.size();
  }

  Buffer content_;
  std::uint64_t bytes_max_ = 0;
  std::uint64_t bytes_ = 0;
  std::uint64_t left_ = 0;  // of a sized body
  h1::ChunkedReader chunked_;
  BodyKind kind_ = BodyKind::none;
  h1::Refusal refusal_ = h1::Refusal::none;
};

}  // namespace eider::detail
