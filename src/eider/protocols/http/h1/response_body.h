// Finds the end of a response body in a stream of bytes, and its trailers.
// Layering: must not collect the content: it returns views.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "eider/protocols/http/h1/chunked.h"
#include "eider/protocols/http/h1/response_reader.h"

namespace eider::h1 {

/// Keeps the trailers of a chunked body; the reader itself only checks them.
class TrailerLines {
 public:
  /// in  the input of the step
  void note(const ChunkedStep& step, std::string_view in);
  /// Returns the lines as received, each with its CRLF. Pre: the last step was done.
  [[nodiscard]] std::string_view view() const noexcept;
  void clear() noexcept { tail_ = std::string(); }

 private:
  std::string tail_;  // all bytes after the last piece of content; the reader limits them
};

/// The result of one step.
///
/// status    as for ChunkedReader: need_more, data, done or refused
/// consumed  bytes to remove from the start of the input: all of it for need_more
/// data      content, a view of the input; empty unless status == data
using ReplyStep = ChunkedStep;

///     while ((step = reader.read(in)).status == ChunkedStatus::data) {
///       in.remove_prefix(step.consumed); …
///     }
class ResponseBodyReader {
 public:
  ResponseBodyReader() noexcept = default;
  explicit ResponseBodyReader(const ReplyHead& head) noexcept
      : kind_(head.body), left_(head.content_length) {}

  /// in       the bytes after those consumed so far, any number
  /// returns  done, even without input, if there is no content
  /// source   RFC 9112, sections 6.3 and 7.1
  [[nodiscard]] ReplyStep read(std::string_view in);

  /// Returns whether the content is complete if the connection ends here.
  [[nodiscard]] bool may_end() const noexcept { return kind_ == ReplyBody::until_close; }
  /// Pre: the last read returned refused.
  [[nodiscard]] ResponseFlaw flaw() const noexcept;
  /// Returns the trailer lines as received, each with its CRLF. Pre: the last read returned done.
  [[nodiscard]] std::string_view trailer_lines() const noexcept { return trailers_.view(); }

 private:
  [[nodiscard]] ReplyStep read_sized(std::string_view in) noexcept;
  [[nodiscard]] ReplyStep read_chunked(std::string_view in);

  ReplyBody kind_ = ReplyBody::none;
  std::uint64_t left_ = 0;
  ChunkedReader chunks_{ChunkedReader::Of::response};
  TrailerLines trailers_;
};

/// Splits `trailer_lines()` into fields, which are views of them.
[[nodiscard]] std::vector<Field> split_trailers(std::string_view lines);

}  // namespace eider::h1
