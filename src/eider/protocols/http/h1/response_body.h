// Finds the end of a response body in a stream of bytes, and its trailers.
// Layering: must not gather the content: it hands out views.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "eider/protocols/http/h1/chunked.h"
#include "eider/protocols/http/h1/response_reader.h"

namespace eider::h1 {

/// Keeps the trailers of a chunked body, which its reader only checks.
class TrailerLines {
 public:
  /// in  what the step was made of
  void note(const ChunkedStep& step, std::string_view in);
  /// As they came, each with its CRLF. Pre: the last step was done.
  [[nodiscard]] std::string_view view() const noexcept;
  void clear() noexcept { tail_ = std::string(); }

 private:
  std::string tail_;  // all that came behind the last piece of content: the reader bounds it
};

/// What one step found.
///
/// status    as of ChunkedReader: need_more, data, done or refused
/// consumed  bytes to drop from the front of the input: all of it at need_more
/// data      content, a view into the input; empty unless status == data
using ReplyStep = ChunkedStep;

///     while ((step = reader.read(in)).status == ChunkedStatus::data) {
///       in.remove_prefix(step.consumed); …
///     }
class ResponseBodyReader {
 public:
  ResponseBodyReader() noexcept = default;
  explicit ResponseBodyReader(const ReplyHead& head) noexcept
      : kind_(head.body), left_(head.content_length) {}

  /// in       the bytes behind those consumed so far, any length
  /// returns  done also without any input, when there is no content
  /// source   RFC 9112, sections 6.3 and 7.1
  [[nodiscard]] ReplyStep read(std::string_view in);

  /// The connection ended here: whether the content is then whole.
  [[nodiscard]] bool may_end() const noexcept { return kind_ == ReplyBody::until_close; }
  /// Pre: the last read returned refused.
  [[nodiscard]] ResponseFlaw flaw() const noexcept;
  /// The trailer lines as they came, each with its CRLF. Pre: the last read returned done.
  [[nodiscard]] std::string_view trailer_lines() const noexcept { return trailers_.view(); }

 private:
  [[nodiscard]] ReplyStep read_sized(std::string_view in) noexcept;
  [[nodiscard]] ReplyStep read_chunked(std::string_view in);

  ReplyBody kind_ = ReplyBody::none;
  std::uint64_t left_ = 0;
  ChunkedReader chunks_{ChunkedReader::Of::response};
  TrailerLines trailers_;
};

/// The fields of `trailer_lines()`; views into them.
[[nodiscard]] std::vector<Field> split_trailers(std::string_view lines);

}  // namespace eider::h1
