// Reads the body of one HTTP/1.1 request, with a length or chunked, without its framing.
// Layering: must not read beyond the end of the body: the next request follows.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "eider/protocols/http/h1/chunked.h"
#include "eider/protocols/http/h1/response_body.h"
#include "eider/protocols/http/head.h"

namespace eider::h1 {

class ContentReader {
 public:
  /// Resets the reader for the content of that head.
  void begin(const RequestHead& head) noexcept {
    kind_ = head.body;
    left_ = head.content_length;
    chunked_ = ChunkedReader();
    trailers_.clear();
    is_done_ = kind_ == BodyKind::none;
  }
  /// Like ChunkedReader::read. For sized content, the last bytes are returned with `data`, and
  /// `done` is returned by the next call.
  [[nodiscard]] ChunkedStep read(std::string_view in) {
    const ChunkedStep step =
        kind_ == BodyKind::chunked && !is_done_ ? read_chunked(in) : read_sized(in);
    // Sized content is done with its last byte, so that the next request can be read immediately.
    is_done_ =
        is_done_ || step.status == ChunkedStatus::done || (kind_ == BodyKind::sized && left_ == 0);
    return step;
  }
  /// Reads and drops the content. returns  the number of bytes of `in` that belong to the content
  std::size_t skip(std::string_view in) {
    std::size_t bytes = 0;
    for (bool goes_on = true; goes_on;) {
      // Stop at the end of the content: the next request follows.
      const ChunkedStep step = read(in.substr(bytes));
      bytes += step.consumed;
      goes_on = step.status == ChunkedStatus::data;
    }
    return bytes;
  }
  /// Returns whether all of the content was read.
  [[nodiscard]] bool is_done() const noexcept { return is_done_; }
  /// Returns the trailers, like TrailerLines::view. Pre: is_done().
  [[nodiscard]] std::string_view trailer_lines() const noexcept {
    return kind_ == BodyKind::chunked ? trailers_.view() : std::string_view();
  }
  /// Pre: the last read returned refused.
  [[nodiscard]] Refusal refusal() const noexcept { return chunked_.refusal(); }

 private:
  [[nodiscard]] ChunkedStep read_chunked(std::string_view in) {
    const ChunkedStep step = chunked_.read(in);
    trailers_.note(step, in);
    return step;
  }
  [[nodiscard]] ChunkedStep read_sized(std::string_view in) noexcept {
    if (is_done_) {
      return {ChunkedStatus::done, 0, {}};
    }
    const std::string_view data = in.substr(0, std::min<std::uint64_t>(left_, in.size()));
    left_ -= data.size();
    return {data.empty() ? ChunkedStatus::need_more : ChunkedStatus::data, data.size(), data};
  }

  std::uint64_t left_ = 0;  // of sized content
  ChunkedReader chunked_;
  TrailerLines trailers_;
  BodyKind kind_ = BodyKind::none;
  bool is_done_ = true;
};

}  // namespace eider::h1
